import { describe, expect, it, vi } from "vitest";
import { readBoard } from "../../../tests/desk/board.ts";
import { type Desk, oneAgent, openDesk } from "../../../tests/desk/desk.ts";
import { asksFor, leaves, withPhone } from "../../../tests/desk/paged.ts";
import { AS_SHIPPED } from "../../../tests/desk/settings.ts";
import type { Board, BoardFrame } from "../../wire/shapes/board.ts";
import { MOST_IN_A_WINDOW, WINDOW_MS } from "./board.ts";

const CLAIMS = { user: "dev" };

async function deskOf(...agents: readonly string[]): Promise<Desk> {
  const desk = await openDesk();
  await desk.ready();
  for (const name of agents) await desk.done(desk.use.agent_add({ name }));
  return desk;
}

/** The agents that were looked up, once for each time. */
function lookedUp(desk: Desk): () => readonly string[] {
  const turns = vi.spyOn(desk.store.read, "turns");
  return () => turns.mock.calls.flatMap(([{ agent }]) => agent ?? []);
}

const namesIn = (frame: BoardFrame | undefined): readonly string[] =>
  (frame !== undefined && "changes" in frame ? (frame.changes.agents ?? []) : []).map(({ name }) => name);

const named = ({ agents = [] }: Board, name: string) => agents.find((agent) => agent.name === name);

describe("the mail of an agent", () => {
  it("grows for whoever gets a message and whoever sent it, with each change of it", async () => {
    const { desk, coder } = await oneAgent();
    await desk.done(desk.use.agent_add({ name: "post" }));
    await desk.done(desk.use.agent_add({ name: "other" }));
    const { board, close } = await readBoard(desk);
    await desk.advance(0);
    const mail = () => ["coder", "post", "other"].map((name) => named(board(), name)?.mail ?? 0);
    const before = mail();
    const sent = await desk.sendAs(coder, "post", "hello");
    await desk.advance(WINDOW_MS);
    const came = mail();
    expect(came.map((count, index) => count > (before[index] ?? 0))).toEqual([true, true, false]);
    await desk.use.queue_change({ id: sent.shortId, change: "cancel" });
    await desk.advance(WINDOW_MS);
    expect(mail().map((count, index) => count > (came[index] ?? 0))).toEqual([true, true, false]);
    close();
    // Whoever comes back later never finds the number that they knew.
    await desk.advance(1_000);
    const again = await readBoard(desk);
    await desk.advance(0);
    expect(named(again.board(), "other")?.mail).toBeGreaterThan(before[2] ?? 0);
    again.close();
  });
});

describe("the board", () => {
  it("shows everybody at once, then each change of anybody, and nothing for nothing", async () => {
    const { desk, coder } = await oneAgent();
    const { frames, board, close } = await readBoard(desk);
    await desk.advance(20_000);
    expect(frames).toMatchObject([
      {
        snapshot: {
          seq: 1,
          agents: [
            {
              name: "coder",
              paused: false,
              queued: 0,
              turns: [],
              sessions: [{ agent: "coder", readiness: "idle", composer: "empty", drafts: 0 }],
            },
          ],
          counts: { wants: {}, mail: 0 },
          attention: [],
          turns: { switch: { off: false }, open: 0, overBudget: 0 },
          bridges: [],
          health: { warnings: [], trouble: [] },
        },
      },
    ]);
    const asked = desk.clock.now();
    coder.program.becomes({ dialog: "Allow touch a?" });
    await desk.advance(2_000);
    expect(board()).toMatchObject({
      agents: [{ sessions: [{ readiness: "blocked", asks: { text: "Allow touch a?" } }] }],
      counts: { wants: { permission: 1 } },
      attention: [{ kind: "permission", agent: "coder" }],
    });
    expect(board().agents?.[0]?.sessions[0]?.since).toBeGreaterThanOrEqual(asked);
    await desk.send("coder", "hello");
    await desk.advance(2_000);
    expect(board()).toMatchObject({ agents: [{ queued: 1, hold: { reason: "blocked" } }] });
    await desk.done(desk.use.pause({ who: "coder", paused: true }));
    desk.agent("tester");
    await desk.done(desk.use.ls({}));
    await desk.advance(4_000);
    expect(board()).toMatchObject({ agents: [{ name: "coder", paused: true }, { name: "tester" }] });
    desk.ends(coder);
    await desk.done(desk.use.ls({}));
    await desk.advance(1_000);
    expect(board()).toMatchObject({ agents: [{ sessions: [{ readiness: "exited" }] }, {}], attention: [] });
    const before = frames.length;
    close();
    await desk.send("tester", "hello");
    await desk.advance(10_000);
    expect(frames).toHaveLength(before);
  });

  it("shows agents without a program, until they are gone", async () => {
    const desk = await deskOf("reader");
    const { board } = await readBoard(desk);
    await desk.done(desk.use.agent_add({ name: "writer" }));
    await desk.send("writer", "for later");
    await desk.advance(WINDOW_MS);
    expect(named(board(), "reader")).toMatchObject({ queued: 0, sessions: [] });
    expect(named(board(), "writer")).toMatchObject({
      queued: 1,
      hold: { reason: "offline", release: expect.any(String) },
    });
    await desk.done(desk.use.agent_remove({ name: "reader" }));
    await desk.advance(WINDOW_MS);
    expect(board().agents?.map(({ name }) => name)).toEqual(["writer"]);
  });

  it("shows the turn that runs without a terminal, and what it does", async () => {
    const desk = await openDesk();
    const everyone = { enabled: true, cwd: "/home/dev/repo", triageModel: "" };
    desk.settings = { ...AS_SHIPPED, turns: { ...AS_SHIPPED.turns, any: true, everyone } };
    await desk.ready();
    await desk.done(desk.use.agent_add({ name: "coder" }));
    desk.runner.behaves = undefined;
    const { board } = await readBoard(desk, ["agents", "turns"]);
    await desk.send("coder", "count the files");
    await desk.advance(4_000);
    const [turn] = desk.runner.running;
    turn?.handover.doing("Bash: ls");
    await desk.advance(WINDOW_MS);
    expect(board()).toMatchObject({
      agents: [{ takesTurns: true, turns: [{ state: "running", runner: "claude", doing: "Bash: ls" }] }],
      turns: { open: 1 },
    });
    turn?.end({ kind: "answered", answer: "three" });
    await desk.advance(4_000);
    expect(board()).toMatchObject({ agents: [{ turns: [] }], turns: { open: 0 } });
  });

  it("shows what was about to be written when it was first read", async () => {
    const desk = await deskOf("reader");
    const sent = desk.use.send({ to: "reader", body: "hello", claims: CLAIMS });
    const { frames } = await readBoard(desk, ["agents"]);
    await desk.done(sent);
    await desk.advance(WINDOW_MS);
    expect(frames.at(-1)).toMatchObject({ snapshot: { agents: [{ queued: 1 }] } });
  });

  it("shows a draft that nobody reports", async () => {
    const { desk, coder } = await oneAgent();
    const { board } = await readBoard(desk, ["agents"]);
    coder.program.becomes({ draft: "half a sentence" });
    await desk.advance(4_000);
    expect(named(board(), "coder")?.sessions).toMatchObject([{ composer: "draft" }]);
  });

  it("shows with what a permission can be answered, and where the person was told of it", async () => {
    const { desk, coder } = await withPhone();
    const { board } = await readBoard(desk, ["attention"]);
    leaves(desk);
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(5_000);
    expect(board()).toEqual({ attention: (await desk.done(desk.use.attention({}))).attention });
    expect(board().attention).toMatchObject([{ answers: ["approve", "deny"], toldOn: [expect.any(String)] }]);
  });

  it("shows only what was asked for", async () => {
    const desk = await deskOf("reader");
    const { frames } = await readBoard(desk, ["counts"]);
    await desk.send("reader", "hello");
    await desk.send("person/dev", "for you");
    await desk.advance(WINDOW_MS);
    expect(frames).toEqual([
      { snapshot: { seq: 1, counts: { wants: {}, mail: 0 } } },
      { changes: { seq: 2, counts: { wants: {}, mail: 1 } } },
    ]);
  });
});

describe("the work for the board", () => {
  it("is done once for all changes within a window, and only for who changed", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `agent-${index + 10}`);
    const desk = await deskOf(...names);
    const readers = [await readBoard(desk), await readBoard(desk, ["agents"])];
    await desk.advance(WINDOW_MS);
    const looked = lookedUp(desk);
    for (let count = 0; count < 50; count += 1)
      for (const to of ["agent-12", "agent-17"]) void desk.use.send({ to, body: "hello", claims: CLAIMS });
    await desk.advance(WINDOW_MS);
    expect([...looked()].toSorted()).toEqual(["agent-12", "agent-17"]);
    for (const { frames } of readers) {
      expect(frames).toHaveLength(2);
      expect([...namesIn(frames[1])].toSorted()).toEqual(["agent-12", "agent-17"]);
    }
  });

  it("is limited in each window, however many changed", async () => {
    const names = Array.from({ length: MOST_IN_A_WINDOW + 10 }, (_, index) => `agent-${index + 100}`);
    const desk = await deskOf(...names);
    const { frames } = await readBoard(desk, ["agents"]);
    await desk.done(desk.use.route({ path: "agent/**", body: "hello", claims: CLAIMS }));
    await desk.advance(2 * WINDOW_MS);
    expect(frames.slice(1).map((frame) => namesIn(frame).length)).toEqual([MOST_IN_A_WINDOW, 10]);
  });

  it("is not done while nobody reads", async () => {
    const desk = await deskOf("reader");
    const looked = lookedUp(desk);
    await desk.send("reader", "hello");
    await desk.advance(5_000);
    expect(looked()).toEqual([]);
    const { close } = await readBoard(desk);
    await desk.advance(0);
    expect(looked()).toEqual(["reader"]);
    close();
    await desk.send("reader", "again");
    await desk.advance(5_000);
    expect(looked()).toEqual(["reader"]);
  });
});

describe("a reader of the board", () => {
  it("that takes nothing gets one frame with the newest state later", async () => {
    const desk = await deskOf("reader", "writer");
    const { frames, board, stall, resume } = await readBoard(desk, ["agents"]);
    stall();
    for (let count = 0; count < 5; count += 1) {
      await desk.send("reader", "hello");
      await desk.done(desk.use.agent_add({ name: `passing-${count}` }));
      await desk.advance(1_000);
      await desk.done(desk.use.agent_remove({ name: `passing-${count}` }));
      await desk.advance(1_000);
    }
    expect(frames).toHaveLength(1);
    resume();
    expect(frames).toHaveLength(2);
    expect(frames[1]).toMatchObject({ changes: { seq: 2, agents: [{ name: "reader", queued: 5 }] } });
    expect(board().agents?.map(({ name }) => name)).toEqual(["reader", "writer"]);
  });

  it("needs a right for what tells of others' mail, and none for what everybody may list", async () => {
    const desk = await deskOf("reader");
    const agent = { user: "dev", agent: "reader" };
    const { board } = await readBoard(desk, ["agents", "counts", "bridges", "health"], agent);
    expect(board().agents).toHaveLength(1);
    for (const topics of [undefined, ["attention"], ["agents", "turns"]] as const)
      await expect(readBoard(desk, topics, agent)).rejects.toMatchObject({ code: "rights.missing" });
  });
});
