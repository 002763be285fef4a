import { sign as signForGithub } from "@octokit/webhooks-methods";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { WEBHOOK_KINDS, type WebhookKind } from "./config.ts";
import { type SignedRequest, TOLERANCE_SECONDS, verify } from "./signatures.ts";

type Headers = Readonly<Record<string, string>>;

const anything = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
const NOW = 1_700_000_000_000;
const SECRETS: Readonly<Record<WebhookKind, string>> = {
  github: "a secret of GitHub",
  gitlab: "a-secret-of-GitLab",
  stripe: "whsec_test_secret",
  slack: "8f742231b10e8888abcd99yyyzzz85a5",
  standard: `whsec_${Buffer.from("twenty-four bytes of key").toString("base64")}`,
  token: "a-plain-token",
};

/** As the service's own library signs it. */
const SIGNERS: Readonly<Record<WebhookKind, (secret: string, body: string, at: number) => Promise<Headers>>> =
  {
    github: async (secret, body) => ({ "x-hub-signature-256": await signForGithub(secret, body) }),
    gitlab: async (secret) => ({ "x-gitlab-token": secret }),
    stripe: async (secret, payload, timestamp) => ({
      "stripe-signature": new Stripe("sk_test_x").webhooks.generateTestHeaderString({
        payload,
        secret,
        timestamp,
      }),
    }),
    slack: async (secret, body, at) => {
      const { createHmac } = await import("node:crypto");
      const hex = createHmac("sha256", secret).update(`v0:${at}:${body}`).digest("hex");
      return { "x-slack-signature": `v0=${hex}`, "x-slack-request-timestamp": String(at) };
    },
    standard: async (secret, body, at) => ({
      "webhook-id": "msg_1",
      "webhook-timestamp": String(at),
      "webhook-signature": new Webhook(secret).sign("msg_1", new Date(at * 1_000), body),
    }),
    token: async (secret) => ({ authorization: `Bearer ${secret}` }),
  };

const request = (headers: Headers, body: string | Buffer): SignedRequest => ({
  header: (name) => headers[name],
  body: Buffer.from(body),
});
const judge = (kind: WebhookKind, headers: Headers, body: string | Buffer, now = NOW) =>
  verify(kind, SECRETS[kind], request(headers, body), now).kind;
const BODY = '{"text":"é 👩‍👩‍👧","n":1.0}';
const SIGNED: readonly WebhookKind[] = ["github", "stripe", "slack", "standard"];
const TIMED: readonly WebhookKind[] = ["stripe", "slack", "standard"];

const signer =
  (kind: WebhookKind) =>
  (body = BODY, at = NOW / 1_000, secret = SECRETS[kind]) =>
    SIGNERS[kind](secret, body, at);

describe.each(WEBHOOK_KINDS)("a request of %s", (kind) => {
  const sign = signer(kind);

  it("is genuine as its own library signs it, whatever it says", async () => {
    for (const body of [BODY, " ", "x".repeat(10_000)])
      expect(judge(kind, await sign(body), body)).toBe("genuine");
  });

  it("is forged with another secret", async () => {
    const other = kind === "standard" ? `whsec_${Buffer.from("another key").toString("base64")}` : "another";
    expect(judge(kind, await sign(BODY, NOW / 1_000, other), BODY)).toBe("forged");
  });

  it("is forged without a signature, with an empty one, a part of one, a longer one, or with any character changed", async () => {
    const right = await sign();
    expect(judge(kind, {}, BODY)).toBe("forged");
    for (const [name, value] of Object.entries(right)) {
      const last = value.at(-1) === "0" ? "1" : "0";
      const wrong = [
        "",
        " ",
        value.slice(0, -1),
        value.slice(1),
        `${value}0`,
        `${value.slice(0, -2)}${last}`,
      ];
      for (const one of [
        ...wrong,
        "sha256=",
        "t=1,v1=",
        "v0=",
        "v1,",
        "Bearer ",
        "null",
        `sha256=${"zz".repeat(32)}`,
      ])
        expect(judge(kind, { ...right, [name]: one }, BODY), `${name}: ${one}`).toBe("forged");
    }
  });

  it("never breaks on any header", async () => {
    const right = await sign();
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(right)), anything, (name, value) => {
        if (value.trim() !== right[name])
          expect(judge(kind, { ...right, [name]: value }, BODY)).toBe("forged");
      }),
    );
  });
});

describe.each(SIGNED)("a signed request of %s", (kind) => {
  const sign = signer(kind);

  it("is forged if one byte of its body differs, even one that means the same", async () => {
    const headers = await sign();
    for (const body of [`${BODY} `, BODY.replace("1.0", "1"), BODY.slice(0, -1), "", `\ufeff${BODY}`])
      expect(judge(kind, headers, body)).toBe("forged");
  });

  it("is judged by its bytes: those that are no text are not taken for others", async () => {
    const headers = await sign("\ufffd");
    expect(judge(kind, headers, Buffer.from([0xff]))).toBe("forged");
  });
});

describe.each(TIMED)("a request of %s with a time", (kind) => {
  const sign = signer(kind);

  it("is genuine for five minutes around its time, and its time cannot be moved", async () => {
    const at = NOW / 1_000;
    for (const shift of [-TOLERANCE_SECONDS, 0, TOLERANCE_SECONDS])
      expect(judge(kind, await sign(BODY, at + shift), BODY)).toBe("genuine");
    for (const shift of [-TOLERANCE_SECONDS - 1, TOLERANCE_SECONDS + 1])
      expect(verify(kind, SECRETS[kind], request(await sign(BODY, at + shift), BODY), NOW)).toEqual({
        kind: "forged",
        why: "stale",
      });
    const old = await sign(BODY, at - 1_000);
    const moved = Object.fromEntries(
      Object.entries(old).map(([name, value]) => [name, value.replace(String(at - 1_000), String(at))]),
    );
    expect(judge(kind, moved, BODY)).toBe("forged");
    for (const time of ["", "NaN", "1e9", "-1", "0x10", "99999999999999"])
      expect(
        judge(
          kind,
          Object.fromEntries(
            Object.entries(old).map(([name, value]) => [name, value.replace(String(at - 1_000), time)]),
          ),
          BODY,
        ),
      ).toBe("forged");
  });
});

describe("the documentation's own examples", () => {
  it("of GitHub are genuine", () => {
    const headers = {
      "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    };
    expect(verify("github", "It's a Secret to Everybody", request(headers, "Hello, World!"), NOW).kind).toBe(
      "genuine",
    );
  });

  it("of Slack are genuine", () => {
    const body =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const headers = {
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    };
    expect(verify("slack", SECRETS.slack, request(headers, body), 1_531_420_618_000).kind).toBe("genuine");
  });

  it("of Standard Webhooks are genuine, and one of several signatures is enough", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": `v1a,x v1,AAAA ${signature}`,
    };
    const judged = (given: Headers) =>
      verify("standard", secret, request(given, '{"test": 2432232314}'), 1_614_265_330_000).kind;
    expect(judged(headers)).toBe("genuine");
    expect(judged({ ...headers, "webhook-id": "msg_other" })).toBe("forged");
    expect(judged({ ...headers, "webhook-signature": `${"v1,AAAA ".repeat(8)}${signature}` })).toBe("forged");
  });
});
