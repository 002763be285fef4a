/** Following on the Unix socket: the state of one agent, under the request's id, until it is ended. */
import { describe, expect, it } from "vitest";
import { BrokerStage, CLAIMS } from "./broker-stage.ts";

const FOLLOW = { type: "follow", req_id: 7, who: "reader" };

async function followStage(options: Parameters<typeof BrokerStage.open>[0] = {}) {
  const stage = await BrokerStage.open(options);
  await stage.agents("reader", "writer");
  return { stage, caller: await stage.unix() };
}

describe("follow on the Unix socket", () => {
  it("answers, then shows the agent now and whenever something changes", async () => {
    const { stage, caller } = await followStage();
    expect(await caller.ask(FOLLOW)).toEqual({
      ok: true,
      req_id: 7,
      version: "0",
      result: { agent: "reader" },
    });
    expect(await caller.pushes.next()).toEqual({
      type: "push",
      req_id: 7,
      session: { agent: "reader", readiness: "exited", paused: false, deliveries: [], drafts: [] },
    });
    await stage.use.send({ to: "reader", body: "look here", claims: CLAIMS });
    expect(await caller.pushes.next()).toMatchObject({
      req_id: 7,
      session: { hold: { reason: "offline" }, deliveries: [{ preview: "look here", state: "queued" }] },
    });
  });

  it("ends with unfollow, and may begin again under the same id", async () => {
    const { stage, caller } = await followStage();
    await caller.ask(FOLLOW);
    await caller.pushes.next();
    expect(await caller.ask({ type: "unfollow", req_id: 8, follow: 7 })).toMatchObject({
      result: { follow: 7 },
    });
    expect(await caller.ask({ type: "unfollow", req_id: 9, follow: 7 })).toMatchObject({
      ok: false,
      error: { code: "request.malformed" },
    });
    await stage.use.send({ to: "reader", body: "unseen", claims: CLAIMS });
    expect(await caller.ask(FOLLOW)).toMatchObject({ ok: true, req_id: 7 });
    expect(await caller.pushes.next()).toMatchObject({ session: { deliveries: [{ preview: "unseen" }] } });
    expect(caller.pushes.waiting).toEqual([]);
  });

  it("is over, with the reason, when the agent is removed", async () => {
    const { stage, caller } = await followStage();
    await caller.ask(FOLLOW);
    await caller.pushes.next();
    await stage.use.agent_remove({ name: "reader" });
    await stage.use.send({ to: "writer", body: "so that somebody looks", claims: CLAIMS });
    expect(await caller.lines.next()).toMatchObject({
      ok: false,
      req_id: 7,
      error: { next: expect.any(String) },
    });
  });

  it("refuses what nobody could tell apart, or too much of it, and whoever is not there", async () => {
    const { caller } = await followStage({ unix: { follows: 2 } });
    const refused = async (request: object, code: string) =>
      expect(await caller.ask(request)).toMatchObject({ ok: false, error: { code } });
    await refused({ type: "follow", who: "reader" }, "request.malformed");
    await refused({ ...FOLLOW, who: "nobody" }, "recipient.unknown");
    await refused({ ...FOLLOW, other: 1 }, "request.malformed");
    expect(await caller.ask(FOLLOW)).toMatchObject({ ok: true });
    await refused(FOLLOW, "request.malformed");
    expect(await caller.ask({ ...FOLLOW, req_id: 8, who: "writer" })).toMatchObject({ ok: true });
    await refused({ ...FOLLOW, req_id: 9 }, "listener.too_many");
  });

  it("stops when the caller leaves", async () => {
    const { stage, caller } = await followStage({ unix: { probeMs: 20 } });
    await caller.ask(FOLLOW);
    await caller.pushes.next();
    expect(stage.known.following).toBe(1);
    caller.end();
    await expect.poll(() => stage.known.following, { timeout: 180_000 }).toBe(0);
  });
});

describe("status and stop of one session", () => {
  it("are told apart from the daemon's by their recipient", async () => {
    const { caller } = await followStage();
    expect(await caller.ask({ type: "status", req_id: 1 })).toMatchObject({ result: { running: true } });
    expect(await caller.ask({ type: "status", req_id: 2, to: "reader" })).toMatchObject({
      result: { agent: "reader", readiness: "exited" },
    });
    for (const type of ["stop", "attach"]) {
      expect(await caller.ask({ type, req_id: 3, to: "reader" })).toMatchObject({
        ok: false,
        error: { code: "session.unknown", next: expect.stringContaining("bellhop run --name reader") },
      });
    }
    expect(await caller.ask({ type: "status", req_id: 4 })).toMatchObject({ result: { running: true } });
  });
});
