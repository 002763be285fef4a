import { createServer } from "node:http";
import { connect } from "node:net";
import { sign as signForGithub } from "@octokit/webhooks-methods";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LISTENER_LIMITS } from "../../../src/bridges/webhook/listener.ts";
import { LIMITS } from "../../../src/core/message.ts";
import { isConnected } from "./contract.ts";
import { WebhookScene } from "./webhook-scene.ts";
import { bearer, SERVICES, TOKEN } from "./webhook-stage.ts";

describe("webhooks", () => {
  let scene: WebhookScene;
  let stage: WebhookScene["stage"];
  let inbox: WebhookScene["inbox"];
  const open: WebhookScene["bridge"] = (services) => scene.bridge(services);
  const statusOf: WebhookScene["statusOf"] = (...call) => scene.statusOf(...call);
  const github: WebhookScene["github"] = (...call) => scene.github(...call);

  beforeEach(async () => {
    scene = await WebhookScene.open();
    ({ stage, inbox } = scene);
  });
  afterEach(() => scene.close());

  it("that are forged get no words, and a flood of them no flood of lines", async () => {
    await open();
    const forged = [
      ["/ci", {}],
      ["/ci", { authorization: "Bearer " }],
      ["/ci", { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
      ["/ci", { authorization: `Bearer ${TOKEN}${TOKEN}` }],
      ["/ci", { authorization: `Basic ${TOKEN}` }],
      ["/github", bearer],
      ["/github", { "x-hub-signature-256": "sha256=00" }],
      ["/github", { "x-hub-signature": "sha1=0000" }],
      ["/stripe", { "stripe-signature": "t=1,v1=00" }],
      ["/clerk", { "webhook-id": "x", "webhook-timestamp": "1", "webhook-signature": "v1," }],
    ] as const;
    for (const [path, headers] of forged) {
      const answer = await stage.post(path, '{"text":"x"}', headers);
      expect([answer.status, await answer.text()], path).toEqual([401, ""]);
    }
    for (let index = 0; index < 99; index += 1) await stage.post("/gitlab", "{}");
    expect(
      stage.lines.filter(({ fields }) => fields?.service === "gitlab").map(({ fields }) => fields?.count),
    ).toEqual([1, 10]);
    expect(inbox.taken).toEqual([]);
  });

  it("need an address, a method and a type that are right", async () => {
    await open();
    const url = `http://127.0.0.1:${stage.port}`;
    for (const path of [
      "/",
      "/nobody",
      "/constructor",
      "/__proto__",
      "/ci/a/b",
      "/ci/..%2f",
      "/ci/%00",
      "/ci/%E0%A4%A",
      "/ci/*",
      "/webhooks",
      "//ci",
    ])
      expect(await statusOf(path, "{}", bearer), path).toBe(404);
    for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
      const { status, headers } = await fetch(`${url}/ci`, { method, headers: bearer });
      expect([status, headers.get("allow")]).toEqual([405, "POST"]);
    }
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "",
      "application/jsonx",
    ])
      expect(await statusOf("/ci", "{}", { ...bearer, "content-type": type }), type).toBe(415);
    expect(await statusOf("/ci", "{}", { ...bearer, "content-encoding": "gzip" })).toBe(415);
    for (const path of ["/ci", "/ci/", "/ci/build", "/webhooks/ci", "/webhooks/ci/build?x=1"])
      expect(await statusOf(path, JSON.stringify({ text: path }), bearer), path).toBe(200);
    const event = "webhook/ci/event";
    expect(inbox.taken.map(({ path }) => path)).toEqual([
      event,
      event,
      "webhook/ci/build",
      event,
      "webhook/ci/build",
    ]);
  });

  it("that cannot be read are refused once, not asked for again", async () => {
    await open();
    const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    for (const body of [
      "",
      "no JSON",
      '{"a":',
      Buffer.from([0x22, 0xff, 0x22]),
      deep(LIMITS.jsonDepth),
      deep(400_000),
    ])
      expect(await statusOf("/ci", body, bearer)).toBe(400);
    for (const body of [deep(LIMITS.jsonDepth - 1), "null", "5", '"words"'])
      expect(await statusOf("/ci", body, bearer)).toBe(200);
    expect(inbox.texts()).toEqual(["an event", "an event", "an event", "words"]);
  });

  it("cannot reach what objects inherit", async () => {
    await open();
    const body = '{"__proto__":{"text":"inherited","admin":true},"constructor":{"prototype":{"x":1}}}';
    expect(await statusOf("/ci", body, bearer)).toBe(200);
    expect(inbox.texts()).toEqual(["an event"]);
    expect(JSON.stringify(inbox.taken[0]?.payload)).toBe(body);
    expect({}).not.toHaveProperty("admin");
  });

  it("may have one mebibyte, told or not, and data of 256 KiB", async () => {
    await open();
    const sized = (bytes: number) => `{"text":"big","data":"${"x".repeat(bytes - 24)}"}`;
    expect(await statusOf("/ci", sized(LISTENER_LIMITS.bodyBytes), bearer)).toBe(200);
    expect(await statusOf("/ci", sized(LISTENER_LIMITS.bodyBytes + 1), bearer)).toBe(413);
    expect(await chunked(stage.port, LISTENER_LIMITS.bodyBytes + 1)).toContain(" 413 ");
    expect(await statusOf("/ci", sized(LIMITS.bodyBytes), bearer)).toBe(200);
    expect(inbox.texts()).toEqual(["big (its data is left out: it is too large)", "big"]);
    expect(inbox.taken.map((arrival) => "payload" in arrival)).toEqual([false, true]);
  });

  it("are answered when they are on disk, and told to come again if they cannot be", async () => {
    const bridge = await open();
    inbox.fails = true;
    expect((await github('{"ref":"x"}', "push")).status).toBe(503);
    expect(bridge.health()).toMatchObject({
      state: "down",
      error: expect.stringContaining("bellhop doctor"),
    });
    inbox.fails = false;
    expect((await github('{"ref":"x"}', "push")).status).toBe(200);
    expect(inbox.taken).toHaveLength(1);
    expect(bridge.health().state).toBe("connected");
  });

  it("come a hundred at once, each one once", async () => {
    await open();
    const bodies = Array.from({ length: 100 }, (_, index) => JSON.stringify({ text: `event ${index % 50}` }));
    const statuses = await Promise.all(
      bodies.map(async (body) => {
        for (;;) {
          const status = await github(body, "push").then(
            (answer) => answer.status,
            () => 0,
          );
          if (status !== 0) return status;
        }
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(inbox.taken).toHaveLength(50);
    expect(inbox.repeated).toHaveLength(50);
  });

  it("of a service without a secret are not taken, and the others are", async () => {
    const { secret: _, ...github } = SERVICES.github ?? { kind: "github" as const };
    const bridge = await open({ github, ci: { kind: "token", secret: TOKEN } });
    expect(bridge.health()).toMatchObject({
      state: "connected",
      error:
        'The webhook service "github" has no secret and does not start: give bridges.webhook.github a secret_file or secret_env. Put the secret there; for a variable, start the daemon again.',
    });
    expect(await statusOf("/github", "{}", { "x-hub-signature-256": await signForGithub(" ", "{}") })).toBe(
      503,
    );
    expect(await statusOf("/ci", '{"text":"x"}', bearer)).toBe(200);
  });

  it("without any secret do not start", async () => {
    const bridge = await open({ github: { kind: "github" } });
    expect(bridge.health()).toMatchObject({
      state: "refused",
      error: expect.stringContaining("has no secret"),
    });
    await expect(stage.post("/github", "{}")).rejects.toThrow();
  });

  it("wait for their port if another program has it", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(stage.port, "127.0.0.1", resolve));
    const bridge = await open();
    expect(bridge.health()).toMatchObject({
      state: "down",
      error: `Another program has the port ${stage.port}. Stop it, or set bridges.webhook.port to another one. Bellhop keeps trying.`,
    });
    await new Promise<void>((resolve) => other.close(() => resolve()));
    await isConnected(bridge);
    expect(await statusOf("/ci", '{"text":"x"}', bearer)).toBe(200);
  });

  it("are not for speaking", async () => {
    const bridge = await open();
    expect(bridge.reaches("webhook/ci/build")).toBe(false);
    const saying = { messageId: "m", path: "webhook/ci/build", text: "x", partsSaid: 0, perhapsSaid: false };
    const context = { signal: AbortSignal.timeout(1_000), saying: async () => {}, said: async () => {} };
    expect(await bridge.say(saying, context)).toEqual({ kind: "refused", why: "webhooks only receive" });
  });
});

/** Sends a body without telling its length before. */
function chunked(port: number, bytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("data", (data) => {
      socket.destroy();
      resolve(String(data).split("\r\n", 1)[0] ?? "");
    });
    socket.once("error", reject);
    socket.write(
      "POST /ci HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n",
    );
    socket.write(`${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n0\r\n\r\n`);
  });
}
