/** Everything that a page shows, told on the Unix socket and on a WebSocket: a snapshot, then what changes. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bellhopOver } from "../../src/client/bellhop.ts";
import { unixLine } from "../../src/client/unix-line.ts";
import { wsLine } from "../../src/client/ws-line.ts";
import { BellhopError } from "../../src/core/errors.ts";
import type { Board } from "../../src/wire/shapes/board.ts";
import { BrokerStage, CLAIMS, until } from "./broker-stage.ts";

async function stageOfReaders(options: Parameters<typeof BrokerStage.open>[0] = {}) {
  const stage = await BrokerStage.open(options);
  await stage.agents("reader", "writer");
  const send = (to: string, body = "hello") => stage.use.send({ to, body, claims: CLAIMS });
  return { stage, send };
}

describe("the board on the Unix socket", () => {
  it("is told as a snapshot, then as changes, until unwatch_all", async () => {
    const { stage, send } = await stageOfReaders();
    const caller = await stage.unix();
    expect(await caller.ask({ type: "watch_all", req_id: 1, topics: ["agents", "counts"] })).toEqual({
      ok: true,
      req_id: 1,
      version: "0",
      result: {},
    });
    expect(await caller.pushes.next()).toEqual({
      type: "push",
      req_id: 1,
      snapshot: {
        seq: 1,
        agents: ["reader", "writer"].map((name) => ({
          name,
          created_at: expect.any(Number),
          origin: "added",
          paused: false,
          mail: expect.any(Number),
          queued: 0,
          turns: [],
          sessions: [],
        })),
        counts: { wants: {}, mail: 0 },
      },
    });
    await send("reader");
    expect(await caller.pushes.next()).toMatchObject({
      req_id: 1,
      changes: { seq: 2, agents: [{ name: "reader", queued: 1, hold: { reason: "offline" } }] },
    });
    expect(await caller.ask({ type: "unwatch_all", req_id: 2, watch_all: 1 })).toMatchObject({ ok: true });
    expect(stage.known.reading).toBe(0);
    await send("reader");
    expect(await caller.ask({ type: "unwatch_all", req_id: 3, watch_all: 1 })).toMatchObject({
      ok: false,
      error: { code: "request.malformed" },
    });
    expect(caller.pushes.waiting).toEqual([]);
  });

  it("is refused without an id, for unknown topics, and if it is asked for too often", async () => {
    const { stage } = await stageOfReaders({ unix: { boards: 1 } });
    const caller = await stage.unix();
    const refused = async (request: object, code: string) =>
      expect(await caller.ask({ type: "watch_all", ...request })).toMatchObject({
        ok: false,
        error: { code },
      });
    await refused({}, "request.malformed");
    await refused({ req_id: 1, topics: ["weather"] }, "request.malformed");
    await refused({ req_id: 1, topics: [] }, "request.malformed");
    expect(await caller.ask({ type: "watch_all", req_id: 1 })).toMatchObject({ ok: true });
    await refused({ req_id: 2 }, "listener.too_many");
  });

  it("ends when the caller leaves", async () => {
    const { stage } = await stageOfReaders({ unix: { probeMs: 20 } });
    const caller = await stage.unix();
    await caller.ask({ type: "watch_all", req_id: 1 });
    await caller.pushes.next();
    expect(stage.known.reading).toBe(1);
    caller.end();
    await until(() => stage.known.reading === 0);
  });
});

describe("the board on a WebSocket", () => {
  it("is told from the answer on, anew if it is asked for again, and no more after unwatch", async () => {
    const { stage, send } = await stageOfReaders();
    const caller = await stage.ws();
    expect(await caller.ask({ type: "watch", reqId: 1 })).toEqual({ type: "watch.ok", reqId: 1 });
    const snapshot = await caller.answers.next();
    expect(snapshot).toMatchObject({
      type: "watch.snapshot",
      seq: 1,
      agents: [{ name: "reader" }, { name: "writer" }],
      attention: [],
    });
    expect(Object.keys(snapshot).toSorted()).toEqual(
      ["agents", "attention", "bridges", "broker", "counts", "health", "seq", "turns", "type"].toSorted(),
    );
    await stage.use.agent_remove({ name: "writer" });
    expect(await caller.answers.next()).toEqual({
      type: "watch.changes",
      seq: 2,
      gone: ["writer"],
      // It hears nothing any more.
      broker: { changes: expect.any(Number) },
    });
    expect(await caller.ask({ type: "watch", topics: ["agents"] })).toEqual({ type: "watch.ok" });
    expect(await caller.answers.next()).toMatchObject({
      type: "watch.snapshot",
      agents: [{ name: "reader" }],
    });
    expect(stage.known.reading).toBe(1);
    expect(await caller.ask({ type: "unwatch", reqId: 2 })).toEqual({ type: "unwatch.ok", reqId: 2 });
    expect(stage.known.reading).toBe(0);
    await send("reader");
    await caller.settled();
  });

  it("is told to an agent only as far as everybody may see it", async () => {
    const { stage } = await stageOfReaders();
    const caller = await stage.ws(stage.tokenOf("reader"));
    expect(await caller.ask({ type: "watch" })).toMatchObject({
      type: "watch.error",
      code: "rights.missing",
    });
    expect(await caller.ask({ type: "watch", topics: ["agents", "bridges"] })).toEqual({ type: "watch.ok" });
    expect(await caller.answers.next()).toMatchObject({ type: "watch.snapshot", bridges: [] });
  });
});

const NAMES = ["api", "docs", "web"];
const event = fc.record({
  does: fc.constantFrom("add", "remove", "send", "receive", "pause", "unpause"),
  name: fc.constantFrom(...NAMES),
});

describe.each(["unix", "ws"] as const)("whoever puts the frames together, over %s", (way) => {
  it("has what the lists say, whatever happened", async () => {
    const { stage } = await stageOfReaders();
    const { use } = stage;
    const line =
      way === "unix" ? unixLine(stage.socketPath, CLAIMS) : wsLine({ url: stage.url, token: stage.token });
    const patience = { patienceMs: 0, pause: async () => {}, now: () => 0 };
    const client = bellhopOver(line, patience, () => "unused");
    const happen = async ({ does, name }: { does: string; name: string }): Promise<unknown> => {
      if (does === "add") return use.agent_add({ name });
      if (does === "remove") return use.agent_remove({ name, force: true });
      if (does === "send") return use.send({ to: `agent/${name}`, body: "hello", claims: CLAIMS });
      if (does === "receive") return use.receive({ agent: name, claims: CLAIMS });
      return use.pause({ who: name, paused: does === "pause" });
    };
    const listed = async () => {
      const { agents } = await use.agent_list({});
      const { attention, mail } = await use.attention({});
      return {
        agents: agents.map(({ name, paused, queued }) => ({ name, paused, queued })),
        attention,
        mail,
      };
    };
    const shown = ({ agents = [], attention, counts }: Board) => ({
      agents: agents.map(({ name, paused, queued }) => ({ name, paused, queued })),
      attention,
      mail: counts?.mail,
    });
    const watching = client.watch();
    const law = fc.asyncProperty(fc.array(event, { maxLength: 20 }), async (events) => {
      for (const one of events)
        await happen(one).catch((error: unknown) => {
          if (!(error instanceof BellhopError)) throw error;
        });
      // So that there is always something to wait for.
      await use.send({ to: "agent/reader", body: "done", claims: CLAIMS });
      const wanted = JSON.stringify(await listed());
      for (;;) {
        const { value } = await watching.next();
        if (value === undefined || JSON.stringify(shown(value.board)) === wanted) break;
      }
    });
    await fc.assert(law, { numRuns: 10, seed: 3 });
    await watching.return?.();
    client.close();
  });
});
