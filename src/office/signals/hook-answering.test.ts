import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { type Desk, openDesk } from "../../../tests/desk/desk.ts";
import { runHook, startHooks, toolEnds, turnEnds, works } from "../../../tests/desk/hook-script.ts";
import type { DeskProgram } from "../../../tests/desk/profiles.ts";
import { KEYBOARD_TAKEN } from "../../core/readiness/screen.ts";

interface Scene {
  readonly desk: Desk;
  readonly coder: DeskAgent;
  readonly reviewer: DeskAgent;
}

async function atWork(program: DeskProgram = "answering"): Promise<Scene> {
  const desk = await openDesk();
  desk.transcript = () => ({ kind: "found", as: "turn" });
  const coder = desk.agent("coder", { program });
  const reviewer = desk.agent("reviewer");
  await desk.ready();
  await startHooks(desk, coder);
  await works(desk, coder);
  return { desk, coder, reviewer };
}

const NOTHING = { text: undefined, code: undefined };

describe("a turn in which a sub-agent was started, whose hooks look like the agent's", () => {
  it("gets nothing with the result of a tool, and everything at its end", async () => {
    const { desk, coder, reviewer } = await atWork();
    await desk.done(desk.hook(coder, { name: "before-tool", delegates: true, programSessionId: "c-1" }));
    await desk.sendAs(reviewer, "coder", "for coder only");
    expect(await toolEnds(desk, coder)).toEqual(NOTHING);
    expect((await turnEnds(desk, coder)).text).toContain("for coder only");
  });

  it("takes nothing from the next turn", async () => {
    const { desk, coder, reviewer } = await atWork();
    await desk.done(desk.hook(coder, { name: "before-tool", delegates: true, programSessionId: "c-1" }));
    await works(desk, coder);
    await desk.sendAs(reviewer, "coder", "for coder only");
    expect((await toolEnds(desk, coder)).text).toContain("for coder only");
  });
});

describe("whoever asks for the answer of a hook", () => {
  it("gets it as a process of that program that shows the code", async () => {
    const { desk, coder, reviewer } = await atWork();
    await desk.sendAs(reviewer, "coder", "for coder only");
    expect((await toolEnds(desk, coder)).text).toContain("for coder only");
  });

  it.each([
    ["does not show the code", () => ({ shows: "nothing", under: "coder" }) as const],
    ["runs under nobody", () => ({ shows: "the-code", under: "nobody" }) as const],
    ["runs under another agent", () => ({ shows: "the-code", under: "reviewer" }) as const],
  ])("gets nothing if it %s, and nothing was begun", async (_, who) => {
    const { desk, coder, reviewer } = await atWork();
    const sent = await desk.sendAs(reviewer, "coder", "for coder only");
    const { shows, under } = who();
    const asker = { shows, under: under === "nobody" ? under : { coder, reviewer }[under] };
    const liar = await toolEnds(desk, coder, { asker });
    expect(liar.code).toBeDefined();
    expect(liar.text).toBeUndefined();
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", attempts: 0 });
    expect(desk.warnings).toContain("hook.not_its_own");
    desk.warnings.length = 0;
    expect((await toolEnds(desk, coder)).text).toContain("for coder only");
  });

  it("gets nothing if another process has the pid by then", async () => {
    const { desk, coder, reviewer } = await atWork();
    await desk.sendAs(reviewer, "coder", "for coder only");
    const { take: code = "" } = await desk.done(
      desk.hook(coder, { name: "tool", ofTool: true, takes: true, programSessionId: "c-1" }),
    );
    const { agentPid, agentStartedAt } = coder.sighting.identity;
    desk.tree = () => [{ pid: 1, startedAt: "then", parentPid: 1, argv: [code], command: "curl" }];
    desk.lineage = () => [
      { pid: 1, startedAt: "now" },
      { pid: agentPid, startedAt: agentStartedAt },
    ];
    expect(await desk.done(desk.use.hook_take({ code, pid: 1 }))).toEqual({});
    desk.warnings.length = 0;
  });

  it("gets nothing with a code that is unknown, old, or used", async () => {
    const { desk, coder, reviewer } = await atWork();
    await desk.sendAs(reviewer, "coder", "for coder only");
    expect(await desk.done(desk.use.hook_take({ code: "hguess", pid: 7_000 }))).toEqual({});
    const { take: code = "" } = await desk.done(
      desk.hook(coder, { name: "tool", ofTool: true, takes: true, programSessionId: "c-1" }),
    );
    await desk.advance(3_000);
    expect(await desk.done(desk.use.hook_take({ code, pid: 7_000 }))).toEqual({});
    const run = await toolEnds(desk, coder);
    expect(run.text).toBeDefined();
    expect(await desk.done(desk.use.hook_take({ code: run.code ?? "", pid: 7_000 }))).toEqual({});
  });
});

describe("a hook is answered at once", () => {
  it("and need not even ask while nothing waits", async () => {
    const { desk, coder, reviewer } = await atWork();
    const session = desk.sessionOf(coder);
    expect(desk.hooksWanted).not.toContain(session);
    await desk.sendAs(reviewer, "coder", "look here");
    await desk.advance(100);
    expect(desk.hooksWanted).toContain(session);
    await toolEnds(desk, coder);
    await desk.advance(5_000);
    expect(desk.hooksWanted).not.toContain(session);
  });

  it("if nothing waits, and nothing is written for the result of a tool", async () => {
    const { desk, coder } = await atWork();
    const before = desk.store.read.hookEvents(desk.sessionOf(coder), 0).length;
    expect(await toolEnds(desk, coder)).toEqual(NOTHING);
    expect(desk.store.read.hookEvents(desk.sessionOf(coder), 0)).toHaveLength(before);
  });

  it.each([
    ["a sub-agent's", { subAgent: { id: "s1" } }],
    ["one of another conversation, as of a program that the agent runs", { programSessionId: "c-2" }],
    ["one that cannot print", { takes: undefined }],
    ["one that takes no text", { name: "another" }],
  ])("if it is %s", async (_, told) => {
    const { desk, coder, reviewer } = await atWork();
    await desk.sendAs(reviewer, "coder", "look here");
    const { takes, ...rest } = { takes: true, ...told } as { takes?: true | undefined };
    const run = await runHook(desk, coder, {
      ...{ name: "tool", ofTool: true, ...rest },
      ...(takes === undefined ? { takes: false as never } : {}),
    });
    expect(run).toEqual(NOTHING);
  });

  it("if the program's own inbox is open, which is the better way", async () => {
    const desk = await openDesk();
    const coder = desk.agent("coder", { program: "answering" });
    const reviewer = desk.agent("reviewer");
    await desk.ready();
    await startHooks(desk, coder);
    await works(desk, coder);
    desk.settings = { ...desk.settings, transports: () => ["native", "paste"] };
    await desk.sendAs(reviewer, "coder", "look here");
    expect(await toolEnds(desk, coder)).toEqual(NOTHING);
  });
});

describe("in the middle of a turn", () => {
  it.each([
    ["what waits for the agent to be idle", { priority: "idle" }],
    ["what interrupts", { priority: "interrupt" }],
    ["what must be proven by a prompt hook", { require: "submitted" }],
  ] as const)("a hook does not take %s", async (_, more) => {
    const { desk, coder, reviewer } = await atWork();
    coder.program.interruptKey = "does-nothing";
    await desk.sendAs(reviewer, "coder", "look here", more);
    expect((await toolEnds(desk, coder)).text).toBeUndefined();
  });

  it("a hook does not take a person's words, unless they may go any way", async () => {
    const { desk, coder } = await atWork();
    await desk.send("coder", "my words");
    expect(await toolEnds(desk, coder)).toEqual(NOTHING);
    await desk.send("coder", "any way", { anyWayIn: true });
    const { text } = await toolEnds(desk, coder);
    expect(text).toContain("any way");
    expect(text).not.toContain("my words");
  });

  it("a hook takes nothing while a dialog asks the person", async () => {
    const { desk, coder, reviewer } = await atWork();
    coder.program.becomes({ dialog: "Allow this?" });
    await desk.sendAs(reviewer, "coder", "look here");
    await desk.advance(2_000);
    expect((await toolEnds(desk, coder)).text).toBeUndefined();
    // Answered, and the tool ran at once, before anybody looked again.
    coder.program.dialog = undefined;
    coder.program.draw();
    expect((await toolEnds(desk, coder)).text).toContain("look here");
  });

  it("a hook takes nothing while a person has the keyboard", async () => {
    const { desk, coder, reviewer } = await atWork();
    coder.program.terminal.show({ mode: KEYBOARD_TAKEN });
    const sent = await desk.sendAs(reviewer, "coder", "look here");
    await desk.advance(1_000);
    expect((await toolEnds(desk, coder)).text).toBeUndefined();
    expect(desk.state(sent)).toBe("queued");
  });

  it("a hook takes nothing of a paused queue, nor what somebody holds back", async () => {
    const { desk, coder, reviewer } = await atWork();
    const sent = await desk.sendAs(reviewer, "coder", "look here");
    await desk.done(desk.use.queue_change({ id: sent.messageId, change: "hold" }));
    expect(await toolEnds(desk, coder)).toEqual(NOTHING);
    await desk.done(desk.use.pause({ who: "coder", paused: true }));
    await desk.sendAs(reviewer, "coder", "and here");
    expect(await toolEnds(desk, coder)).toEqual(NOTHING);
    await desk.done(desk.use.pause({ who: "coder", paused: false }));
    const { text } = await toolEnds(desk, coder);
    expect(text).toContain("and here");
    expect(text).not.toContain("look here");
  });

  it("of two hooks at once, one gets the text", async () => {
    const { desk, coder, reviewer } = await atWork();
    await desk.sendAs(reviewer, "coder", "look here");
    const ask = () => desk.hook(coder, { name: "tool", ofTool: true, takes: true, programSessionId: "c-1" });
    const [one, other] = await desk.done(Promise.all([ask(), ask()]));
    const codes = [one.take ?? "", other.take ?? ""];
    const { agentPid, agentStartedAt } = coder.sighting.identity;
    desk.tree = () => [{ pid: 1, startedAt: "7", parentPid: 1, argv: codes, command: "curl" }];
    desk.lineage = () => [
      { pid: 1, startedAt: "7" },
      { pid: agentPid, startedAt: agentStartedAt },
    ];
    const taken = await desk.done(Promise.all(codes.map((code) => desk.use.hook_take({ code, pid: 1 }))));
    expect(taken.filter(({ output }) => output !== undefined)).toHaveLength(1);
  });
});

describe("at the end of a turn", () => {
  it("a hook takes what waits for an idle agent, but not while a sub-agent works", async () => {
    const { desk, coder, reviewer } = await atWork();
    await desk.done(desk.hook(coder, { subAgent: { id: "s1", change: "started" }, programSessionId: "c-1" }));
    await desk.sendAs(reviewer, "coder", "when you have time", { priority: "idle" });
    expect(await turnEnds(desk, coder)).toEqual(NOTHING);
    await works(desk, coder);
    await desk.done(desk.hook(coder, { subAgent: { id: "s1", change: "stopped" }, programSessionId: "c-1" }));
    expect((await turnEnds(desk, coder)).text).toContain("when you have time");
  });

  it("a hook leaves to the keys what a person wrote, any way or not", async () => {
    const { desk, coder } = await atWork();
    await desk.send("coder", "any way", { anyWayIn: true });
    expect(await turnEnds(desk, coder)).toEqual(NOTHING);
    await desk.advance(5_000);
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("takes no more in a row than the program allows; then keys are typed, and it counts anew", async () => {
    const { desk, coder, reviewer } = await atWork();
    const ends = async (number: number) => {
      await desk.sendAs(reviewer, "coder", `number ${number}`);
      const continued = number > 1 && number < 5 ? ({ continued: true } as const) : {};
      const { text } = await turnEnds(desk, coder, {}, continued);
      await desk.advance(2_000);
      return text;
    };
    for (const number of [1, 2, 3]) expect(await ends(number)).toContain(`number ${number}`);
    expect(await ends(4)).toBeUndefined();
    expect(coder.program.submitted.join()).toContain("number 4");
    expect(await ends(5)).toContain("number 5");
  });
});

it("after a restart takes nothing at the end of a turn that went on, until another one has ended", async () => {
  const { desk, coder, reviewer } = await atWork();
  await desk.open();
  await desk.advance(3_000);
  await desk.sendAs(reviewer, "coder", "look here", { priority: "idle" });
  expect(await turnEnds(desk, coder, {}, { continued: true })).toEqual(NOTHING);
  await works(desk, coder);
  await desk.sendAs(reviewer, "coder", "and here", { priority: "idle" });
  expect((await turnEnds(desk, coder)).text).toContain("and here");
});

describe("windows that may share a server", () => {
  it("get nothing by their hooks while another one runs, and do again when it is alone", async () => {
    const { desk, coder, reviewer } = await atWork("codex");
    const other = desk.agent("other", { program: "codex" });
    await desk.done(desk.use.ls({}));
    await desk.sendAs(reviewer, "coder", "look here");
    expect(await toolEnds(desk, coder)).toEqual(NOTHING);
    desk.ends(other);
    await desk.done(desk.use.ls({}));
    expect((await toolEnds(desk, coder)).text).toContain("look here");
  });
});
