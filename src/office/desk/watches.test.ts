import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { type Desk, openDesk } from "../../../tests/desk/desk.ts";
import { AS_SHIPPED } from "../../../tests/desk/settings.ts";
import type { WatchRequest } from "../../wire/verbs/watches.ts";

const claimsOf = ({ sighting }: DeskAgent) => ({
  user: "dev",
  tmux: { socket: sighting.identity.server, pane: sighting.identity.pane },
});

async function pair() {
  const desk = await openDesk();
  const [coder, tester] = [desk.agent("coder"), desk.agent("tester")];
  await desk.ready();
  await desk.hooked(coder);
  await desk.hooked(tester);
  const watch = (watcher: DeskAgent, who: string, more: Partial<WatchRequest> = {}) =>
    desk.done(desk.use.watch({ who, claims: claimsOf(watcher), ...more }));
  return { desk, coder, tester, watch };
}

/** What it read, without the header, the hint and the next step. */
const read = ({ program }: DeskAgent) =>
  program.submitted.map((prompt) =>
    prompt.replace(/^\[message from: bellhop #\w+\] /u, "").replace(/\sYou can check status with: .*$/su, ""),
  );

/** It asks its person in the middle of a turn. */
function asksIn(agent: DeskAgent, dialog: string): void {
  agent.program.types("go on");
  agent.program.sends();
  agent.program.becomes({ dialog });
}

/** A person writes, and it answers. */
async function turn(desk: Desk, agent: DeskAgent, words: string) {
  agent.program.types(words);
  agent.program.sends();
  agent.program.becomes({ busy: true });
  await desk.advance(5_000);
  await desk.turnEnds(agent);
  await desk.advance(5_000);
}

describe("a watch", () => {
  it("greets once, then tells each turn's end, each question and the end, and is over with it", async () => {
    const { desk, coder, tester, watch } = await pair();
    const id = desk.sessionOf(coder);
    const testerId = desk.sessionOf(tester);
    expect(await watch(tester, "coder")).toMatchObject({
      watcher: "agent/tester",
      agent: "coder",
      session: id,
      on: ["turn-end", "blocked", "exit"],
      once: false,
    });
    await desk.advance(5_000);
    expect(read(coder)).toEqual([`— session ${testerId} watches this session.`]);
    // The turn that answered the greeting is not told.
    await desk.turnEnds(coder);
    await desk.advance(5_000);
    expect(read(tester)).toEqual([]);
    await watch(tester, "coder", { on: ["turn-end", "blocked", "exit"] });
    await turn(desk, coder, "work");
    expect(read(coder)).toEqual([`— session ${testerId} watches this session.`, "work"]);
    expect(read(tester)).toEqual([`[bellhop] coder (${id}) has ended its turn`]);
    await desk.turnEnds(tester);
    asksIn(coder, "Allow touch a?");
    await desk.advance(10_000);
    expect(read(tester).at(-1)).toBe(`[bellhop] coder (${id}) waits for its person: Allow touch a?`);
    await desk.turnEnds(tester);
    expect(await desk.done(desk.use.watches({ claims: { user: "dev" } }))).toMatchObject({
      watches: [{ agent: "coder", watcher: "agent/tester" }],
    });
    desk.ends(coder);
    await desk.done(desk.use.ls({}));
    await desk.advance(10_000);
    expect(read(tester).at(-1)).toBe(`[bellhop] coder (${id}) has ended: its program no longer runs`);
    expect(desk.store.read.watches()).toEqual([]);
  });

  it("tells each event once, also across restarts, and what happened meanwhile", async () => {
    const { desk, coder, tester, watch } = await pair();
    const id = desk.sessionOf(coder);
    desk.settings = { ...AS_SHIPPED, greetWatched: false };
    await watch(tester, "coder");
    asksIn(coder, "Allow touch a?");
    await desk.advance(10_000);
    await desk.open();
    await desk.advance(30_000);
    const asks = `[bellhop] coder (${id}) waits for its person: Allow touch a?`;
    expect(read(tester)).toEqual([asks]);
    desk.crash();
    coder.program.answersDialog();
    const ended = desk.hookEvent(coder, { turn: "turn-ended" });
    await desk.open([ended]);
    await desk.turnEnds(tester);
    await desk.advance(10_000);
    expect(read(tester)).toEqual([asks, `[bellhop] coder (${id}) has ended its turn`]);
    // The spool was not deleted in time.
    await desk.open([ended]);
    await desk.turnEnds(tester);
    await desk.advance(30_000);
    expect(read(tester)).toHaveLength(2);
    desk.crash();
    desk.ends(coder);
    await desk.open();
    await desk.advance(30_000);
    expect(read(tester).at(-1)).toBe(`[bellhop] coder (${id}) has ended: its program no longer runs`);
    expect(desk.store.read.watches()).toEqual([]);
  });

  it("is over after one event with once, and hears only what it asked for", async () => {
    const { desk, coder, tester, watch } = await pair();
    await watch(tester, "coder", { on: ["blocked"], once: true });
    await desk.advance(5_000);
    await desk.turnEnds(coder);
    await turn(desk, coder, "work");
    expect(read(tester)).toEqual([]);
    asksIn(coder, "Allow touch a?");
    await desk.advance(10_000);
    expect(read(tester)).toHaveLength(1);
    expect(desk.store.read.watches()).toEqual([]);
  });

  it("tells of a turn that another began, though it called its message as a watch's own", async () => {
    const { desk, coder, tester, watch } = await pair();
    desk.settings = { ...AS_SHIPPED, greetWatched: false };
    await watch(tester, "coder", { on: ["turn-end"] });
    await desk.sendAs(tester, "coder", "do it", { command: "watch-notice" });
    await desk.advance(5_000);
    coder.program.becomes({ busy: true });
    await desk.advance(5_000);
    await desk.turnEnds(coder);
    await desk.advance(5_000);
    expect(read(tester)).toEqual([expect.stringContaining("coder")]);
  });

  it("lets two who watch each other rest", async () => {
    const { desk, coder, tester, watch } = await pair();
    await watch(tester, "coder");
    await watch(coder, "tester");
    await desk.advance(5_000);
    await desk.turnEnds(coder);
    await desk.turnEnds(tester);
    await turn(desk, coder, "work");
    const ended = new Map([coder, tester].map((agent) => [agent, agent === coder ? 2 : 1]));
    for (let again = 0; again < 5; again += 1) {
      for (const agent of [coder, tester]) {
        const { length } = agent.program.submitted;
        if (length > (ended.get(agent) ?? 0)) await desk.turnEnds(agent);
        ended.set(agent, length);
      }
      await desk.advance(5_000);
    }
    expect(read(tester).filter((line) => line.includes("has ended its turn"))).toHaveLength(1);
    expect(read(coder).filter((line) => line.includes("has ended its turn"))).toEqual([]);
  });

  it("ends with its watcher, and with unwatch", async () => {
    const { desk, coder, tester, watch } = await pair();
    await watch(tester, "coder");
    await watch(tester, "coder", { once: true });
    expect(desk.store.read.watches()).toHaveLength(1);
    expect(await desk.done(desk.use.unwatch({ who: "coder", claims: claimsOf(tester) }))).toMatchObject({
      ended: [{ agent: "coder" }],
    });
    await expect(
      desk.done(desk.use.unwatch({ who: "coder", claims: claimsOf(tester) })),
    ).rejects.toMatchObject({
      code: "watch.unknown",
    });
    await watch(tester, "coder");
    desk.ends(tester);
    await desk.done(desk.use.ls({}));
    await desk.advance(5_000);
    expect(desk.store.read.watches()).toEqual([]);
    expect(read(coder).length).toBeGreaterThan(0);
  });

  it("of a person is silent, and tells their inbox", async () => {
    const { desk, coder } = await pair();
    await desk.done(desk.use.watch({ who: "coder", claims: { user: "dev" } }));
    await turn(desk, coder, "work");
    expect(read(coder)).toEqual(["work"]);
    const { entries } = await desk.done(desk.use.inbox({ claims: { user: "dev" } }));
    expect(entries).toMatchObject([{ message: { command: "watch-notice" } }]);
    expect(desk.told.at(-1)?.text).toMatch(/^\[bellhop\] coder \(\w+\) has ended its turn/);
  });

  it("sees the turn of a program without hooks on its screen", async () => {
    const desk = await openDesk();
    const coder = desk.agent("coder");
    await desk.ready();
    await desk.done(desk.use.watch({ who: "coder", claims: { user: "dev" } }));
    coder.program.becomes({ busy: true });
    await desk.advance(5_000);
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    const { entries } = await desk.done(desk.use.inbox({ claims: { user: "dev" } }));
    expect(entries).toHaveLength(1);
  });

  it("is refused of oneself, of nobody, and to whom nobody can tell", async () => {
    const { desk, coder, watch } = await pair();
    await expect(watch(coder, "coder")).rejects.toMatchObject({ code: "usage.invalid" });
    await expect(watch(coder, "nobody")).rejects.toMatchObject({ code: "recipient.unknown" });
    const stranger = desk.use.watch({ who: "coder", claims: { user: "dev", session: "ffffffff" } });
    await expect(desk.done(stranger)).rejects.toMatchObject({ code: "recipient.unknown" });
    expect(await desk.done(desk.use.watches({ claims: claimsOf(coder) }))).toEqual({ watches: [] });
  });
});
