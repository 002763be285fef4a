/** Who may report what a program does: that program, and no other in its place. */
import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { type Desk, openDesk } from "../../../tests/desk/desk.ts";
import type { HookEvent } from "../../ports/program.ts";
import type { Claims } from "../../wire/verbs/claims.ts";
import type { HookEventRequest } from "../../wire/verbs/daemon.ts";

/** Two sessions of one program, each with a conversation, and two windows of Codex. */
async function fourAgents() {
  const desk = await openDesk();
  const seat = (name: string, program: "stashing" | "codex") =>
    desk.agent(name, { program, registry: { programSessionId: `talk-${name}` } });
  const agents = {
    alice: seat("alice", "stashing"),
    mallory: seat("mallory", "stashing"),
    first: seat("first", "codex"),
    second: seat("second", "codex"),
  };
  await desk.ready();
  return { desk, agents };
}

/** Asked by a process under this agent, according to the system. */
async function reports(desk: Desk, by: DeskAgent | undefined, event: HookEvent): Promise<"taken" | string> {
  const { agentPid, agentStartedAt } = by?.sighting.identity ?? { agentPid: 1, agentStartedAt: "0" };
  desk.lineage = (pid) => [
    { pid, startedAt: "later" },
    { pid: agentPid, startedAt: agentStartedAt },
  ];
  // The hooks of each agent are separate processes.
  const claims: Claims = {
    user: "dev",
    pid: 7_000 + agentPid,
    ...(by === undefined ? { session: "deadbeef" } : {}),
  };
  const request: HookEventRequest & { readonly claims: Claims } = {
    eventName: event.name,
    program: event.program,
    emittedAt: event.emittedAt,
    environment: {},
    payload: event as never,
    claims,
  };
  return desk.done(
    desk.use.hook_event(request).then(
      () => "taken",
      (error: { readonly code: string }) => error.code,
    ),
  );
}

const REFUSED = "rights.missing";

describe("a report", () => {
  it("is taken from the program that it is about", async () => {
    const { desk, agents } = await fourAgents();
    const event = desk.hookEvent(agents.alice, { turn: "prompt-submitted", prompt: "work" });
    expect(await reports(desk, agents.alice, event)).toBe("taken");
    expect((await desk.done(desk.use.session({ who: "alice" }))).readiness).toBe("busy");
  });

  it("is refused from another agent, however it names the session", async () => {
    const { desk, agents } = await fourAgents();
    const of = desk.hookEvent(agents.alice, { turn: "prompt-submitted", prompt: "work" });
    const { agentPid: _, ...unplaced } = of;
    const { server: socket, pane } = agents.alice.sighting.identity;
    const forged: readonly HookEvent[] = [
      of,
      { ...unplaced, programSessionId: "talk-alice" },
      { ...unplaced, tmux: { socket, pane } },
    ];
    for (const event of forged) {
      expect([event, await reports(desk, agents.mallory, event)]).toEqual([event, REFUSED]);
      expect([event, await reports(desk, undefined, event)]).toEqual([event, REFUSED]);
    }
    expect((await desk.done(desk.use.session({ who: "alice" }))).readiness).toBe("idle");
  });

  it("does not take over the conversation of another who is gone", async () => {
    const { desk, agents } = await fourAgents();
    const resumed = desk.hookEvent(agents.mallory, { turn: "session-start", programSessionId: "talk-alice" });
    desk.ends(agents.alice);
    await desk.done(desk.use.ls({}));
    expect(await reports(desk, agents.mallory, resumed)).toBe(REFUSED);
    const { sessions } = await desk.done(desk.use.ls({}));
    expect(sessions.map(({ agent }) => agent).toSorted()).toEqual(["first", "mallory", "second"]);
  });

  it("is taken about nobody that is known: a program that an agent runs has hooks too", async () => {
    const { desk, agents } = await fourAgents();
    const { agentPid: _, ...event } = desk.hookEvent(agents.alice, { turn: "session-start" });
    const nobodys = { ...event, programSessionId: "talk-of-a-child" };
    expect(await reports(desk, agents.mallory, nobodys)).toBe("taken");
    expect(await reports(desk, undefined, nobodys)).toBe("taken");
  });

  it("is taken from any window of Codex about another, for one server runs the hooks of all", async () => {
    const { desk, agents } = await fourAgents();
    const { agentPid: _, ...event } = desk.hookEvent(agents.second, { turn: "turn-ended" });
    const seconds = { ...event, programSessionId: "talk-second" };
    expect(await reports(desk, agents.first, seconds)).toBe("taken");
    expect(await reports(desk, agents.mallory, seconds)).toBe(REFUSED);
  });

  it("is taken where the owner gave the right", async () => {
    const { desk, agents } = await fourAgents();
    desk.settings = {
      ...desk.settings,
      rights: { everyone: [], byAgent: new Map([["mallory", ["admin"]]]) },
    };
    const event = desk.hookEvent(agents.alice, { turn: "turn-ended" });
    expect(await reports(desk, agents.mallory, event)).toBe("taken");
  });
});
