import { describe, expect, it } from "vitest";
import { AN_IDENTITY, aSession } from "../../../tests/contract/store-samples.ts";
import type { HookEvent } from "../../ports/program.ts";
import type { StoredSession } from "../../ports/store.ts";
import { hadItBefore, isNews, learntFrom, whoSpeaks, whoSpoke } from "./conversation.ts";

function hook(told: Partial<HookEvent> = {}): HookEvent {
  return { program: "claude", name: "Stop", emittedAt: 100, ...told };
}
function running(id: string, agentPid: number, told: Partial<StoredSession> = {}) {
  return { record: aSession(id, told), identity: { ...AN_IDENTITY, agentPid, pane: `%${agentPid}` } };
}
const expectsNothing = () => false;
const nobodyRuns = () => false;

describe("who speaks in a hook", () => {
  const one = running("00000001", 1, { programSessionId: "p-1" });
  const two = running("00000002", 2, { programSessionId: "p-2" });

  it("is known by its conversation before anything else", () => {
    expect(whoSpeaks(hook({ programSessionId: "p-2", agentPid: 1 }), [one, two], () => true)).toBe(two);
  });

  it("is the one session that expects this prompt", () => {
    const expects = (id: string) => id === two.record.id;
    expect(whoSpeaks(hook({ agentPid: 1 }), [one, two], expects)).toBe(two);
  });

  it("is not guessed among several that expect it: its process decides", () => {
    expect(whoSpeaks(hook({ agentPid: 1 }), [two, one], () => true)).toBe(one);
  });

  it("is known by its pane where the process is not", () => {
    const tmux = { socket: AN_IDENTITY.server, pane: "%2" };
    expect(whoSpeaks(hook({ agentPid: 99, tmux }), [one, two], expectsNothing)).toBe(two);
  });

  it("is known by the session that its terminal was started for, unless a pane inside it says otherwise", () => {
    const hosted = { ...one, identity: { ...one.identity, kind: "pty" as const, pane: "00000001" } };
    const said = hook({ agentPid: 99, bellhopSession: "00000001" });
    expect(whoSpeaks(said, [two, hosted], expectsNothing)).toBe(hosted);
    const tmux = { socket: AN_IDENTITY.server, pane: "%2" };
    expect(whoSpeaks({ ...said, tmux }, [two, hosted], expectsNothing)).toBe(two);
  });

  it("is never a session of another program", () => {
    expect(whoSpeaks(hook({ program: "codex", agentPid: 1 }), [one, two], () => true)).toBeUndefined();
  });
});

describe("who spoke before it ended", () => {
  const past = (id: string, startedAt: number, exitedAt?: number) =>
    aSession(id, {
      identity: { ...AN_IDENTITY, agentPid: 7 },
      startedAt,
      ...(exitedAt === undefined ? {} : { exitedAt }),
    });

  it("ran in that process when the hook did, from its first moment to its last", () => {
    const stored = [past("00000001", 1, 50), past("00000002", 60)];
    const speaker = (emittedAt: number) => whoSpoke(hook({ agentPid: 7, emittedAt }), stored);
    expect([1, 50, 55, 60, 1_000].map(speaker)).toEqual([
      "00000001",
      "00000001",
      undefined,
      "00000002",
      "00000002",
    ]);
  });

  it("is not one in another process", () => {
    expect(whoSpoke(hook({ agentPid: 8 }), [past("00000001", 1)])).toBeUndefined();
  });
});

describe("who had a conversation before", () => {
  const mine = aSession("00000009", { programSessionId: "p-1" });
  const had = (id: string, lastActiveAt: number, told: Partial<StoredSession> = {}) =>
    aSession(id, { programSessionId: "p-1", lastActiveAt, ...told });

  it("is the one that was active last, never oneself", () => {
    const stored = [had("00000001", 5), had("00000002", 8), { ...mine, lastActiveAt: 99 }];
    expect(hadItBefore(mine, "p-1", stored, nobodyRuns)?.id).toBe("00000002");
  });

  it("is nobody who still runs, has another conversation or is another program", () => {
    const stored = [
      had("00000001", 5),
      had("00000002", 5, { programSessionId: "p-2" }),
      had("00000003", 5, { program: "codex" }),
    ];
    expect(hadItBefore(mine, "p-1", stored, (id) => id === "00000001")).toBeUndefined();
  });
});

describe("what is learnt", () => {
  it("is only what was said", () => {
    const said = hook({ programSessionId: "p-1", detail: "x" });
    expect(learntFrom(said)).toEqual({ programSessionId: "p-1" });
  });

  it("is news only where it differs", () => {
    const record = aSession("00000001", { programSessionId: "p-1" });
    expect(isNews(record, { programSessionId: "p-1" })).toBe(false);
    expect(isNews(record, { programSessionId: "p-1", version: "2.0.0" })).toBe(true);
    expect(isNews(record, {})).toBe(false);
  });
});
