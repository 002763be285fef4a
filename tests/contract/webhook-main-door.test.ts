/** Webhooks at the daemon's own port, as built: the bridge's rules for them, and the door's for everything else. */
import { writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/message.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { until } from "../rig/scripted-agent.ts";
import { freePort, GITHUB, githubHeaders, TOKEN } from "./bridges/webhook-stage.ts";

const PLAIN = "retention: { days: 7 }\n";

let bellhop: Bellhop;
let ownPort: number;
let port: number;

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly at?: number;
}

/** As it comes out of a tunnel: under its public name, without our token. */
function ask(path: string, { method = "POST", headers = {}, body = "", at = port }: Asked = {}) {
  return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const asked = httpRequest({ host: "127.0.0.1", port: at, path, method }, (answer) => {
      let text = "";
      answer.on("data", (chunk) => {
        text += chunk;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    asked.on("error", reject);
    for (const [name, value] of Object.entries({
      host: "tunnel.example",
      "content-type": "application/json",
      ...headers,
    }))
      asked.setHeader(name, value);
    asked.end(body);
  });
}

const statusOf = async (...call: Parameters<typeof ask>) => (await ask(...call)).status;
const ci = { authorization: `Bearer ${TOKEN}` };

async function arrived(): Promise<readonly { readonly to: string; readonly body: string }[]> {
  const { entries } = await (await bellhop.client()).call("inbox", {
    who: "watcher",
    claims: { user: bellhop.env.USER ?? "dev" },
  });
  return entries.map(({ message: { to, body } }) => ({ to, body }));
}

beforeAll(async () => {
  ownPort = await freePort();
  bellhop = new Bellhop({
    config: `${PLAIN}bridges:
  webhook:
    port: ${ownPort}
    github: { kind: github, secret_file: github-secret }
    ci: { kind: token, secret_file: ci-secret }
    keyless: { kind: token, secret_env: NOBODY_SET_THIS }
`,
  });
  writeFileSync(join(bellhop.home, "github-secret"), GITHUB, { mode: 0o600 });
  writeFileSync(join(bellhop.home, "ci-secret"), TOKEN, { mode: 0o600 });
  await bellhop.start();
  port = (await bellhop.json<{ http: { port: number } }>(["status"])).http.port;
  await bellhop.json(["agent", "add", "watcher"]);
  await bellhop.json(["sub", "add", "watcher", "webhook/**"]);
  const isUp = async () =>
    (await bellhop.json<{ state: string }[]>(["bridge", "list"])).some(({ state }) => state === "up");
  await until(isUp, "the bridge");
});

afterAll(async () => {
  await bellhop.dispose();
});

describe("POST /webhooks/SERVICE[/TOPIC] at the daemon's port", () => {
  it("takes what is signed, once, whichever of the two ports it comes to", async () => {
    const issue = { title: "It breaks", number: 12 };
    const body = JSON.stringify({ action: "opened", issue, repository: { full_name: "acme/shop" } });
    const headers = await githubHeaders(body, "issues");
    expect(await ask("/webhooks/github", { headers, body })).toEqual({ status: 200, text: "" });
    expect(await ask("/webhooks/github", { headers, body })).toEqual({ status: 200, text: "" });
    expect(await ask("/webhooks/github", { headers, body, at: ownPort })).toEqual({ status: 200, text: "" });
    expect(await statusOf("/webhooks/ci/build?x=1", { headers: ci, body: '{"text":"red"}' })).toBe(200);
    expect(await arrived()).toEqual([
      { to: "webhook/github/issues.opened", body: "issues opened: It breaks (acme/shop#12)" },
      { to: "webhook/ci/build", body: "red" },
    ]);
  });

  it.each<readonly [string, string, Asked, number]>([
    ["forged", "/webhooks/github", { headers: { "x-hub-signature-256": "sha256=00" }, body: "{}" }, 401],
    ["unsigned", "/webhooks/ci", { body: "{}" }, 401],
    ["for a service without a secret", "/webhooks/keyless", { headers: ci, body: "{}" }, 503],
    ["for nobody", "/webhooks/nobody", { headers: ci, body: "{}" }, 404],
    ["for a name of JavaScript", "/webhooks/__proto__", { headers: ci, body: "{}" }, 404],
    ["without a service", "/webhooks", { headers: ci, body: "{}" }, 404],
    ["that climbs", "/webhooks/../sessions", { headers: ci, body: "{}" }, 404],
    ["escaped badly", "/webhooks/%E0%A4%A", { headers: ci, body: "{}" }, 404],
    ["read", "/webhooks/ci", { method: "GET", headers: ci }, 405],
    [
      "of another type",
      "/webhooks/ci",
      { headers: { ...ci, "content-type": "text/plain" }, body: "{}" },
      415,
    ],
    ["that is no JSON", "/webhooks/ci", { headers: ci, body: "{" }, 400],
    ["too large", "/webhooks/ci", { headers: ci, body: Buffer.alloc(LIMITS.requestBytes + 1, " ") }, 413],
  ])("refuses what is %s, without a word, as the bridge's port does", async (_what, path, asked, status) => {
    const before = await arrived();
    expect(await ask(path, asked)).toEqual({ status, text: "" });
    expect(await ask(path, { ...asked, at: ownPort })).toEqual({ status, text: "" });
    expect(await arrived()).toEqual(before);
  });

  it("opens nothing else: another path needs our host name and our token", async () => {
    const method = "GET";
    for (const path of ["/sessions", "/webhooksx", "/WEBHOOKS/ci", "//webhooks/ci", "/status", "/healthz"])
      expect(await statusOf(path, { method, headers: ci }), path).toBe(421);
    const ours = { host: `127.0.0.1:${port}` };
    expect(await statusOf("/sessions", { method, headers: ours })).toBe(401);
    // The secret of a service is no token.
    expect(await statusOf("/sessions", { method, headers: { ...ours, ...ci } })).toBe(401);
    expect(await statusOf(`http://127.0.0.1:${port}/webhooks/ci`, { headers: ci, body: "{}" })).toBe(421);
  });

  it("finds nothing if no webhook is configured", async () => {
    const without = new Bellhop();
    try {
      await without.start();
      const { http } = await without.json<{ http: { port: number } }>(["status"]);
      const found = () => ask("/webhooks/ci", { headers: ci, body: "{}", at: http.port });
      await until(async () => (await found()).status === 404, "the answer of a daemon that has started");
      expect(await found()).toEqual({ status: 404, text: "" });
    } finally {
      await without.dispose();
    }
  });

  it("finds no service that is configured no more", async () => {
    writeFileSync(join(bellhop.home, "config.yaml"), PLAIN);
    const isGone = async () => (await statusOf("/webhooks/ci", { headers: ci, body: "{}" })) === 404;
    await until(isGone, "the daemon to close it");
    expect(await ask("/webhooks/ci", { headers: ci, body: "{}" })).toEqual({ status: 404, text: "" });
  });
});
