import { describe, expect, it } from "vitest";
import { oneAgent, openDesk } from "../../../tests/desk/desk.ts";
import type { ScreenOutcome } from "../../ports/terminal.ts";

async function hostedAgent() {
  const desk = await openDesk();
  const coder = desk.agent("coder");
  Object.assign(coder.sighting.identity, { kind: "pty" });
  await desk.ready();
  return { desk, coder };
}

it("says why a screen cannot be read, also where a later look gets no answer in time", async () => {
  const { desk, coder } = await hostedAgent();
  const answers: Promise<ScreenOutcome>[] = [Promise.resolve({ kind: "unreadable", cause: "too much" })];
  coder.program.terminal.read = () => answers.shift() ?? new Promise(() => {});
  await expect(desk.done(desk.use.peek({ who: "coder" }))).rejects.toMatchObject({
    code: "terminal.unreadable",
    message: 'The screen of "coder" cannot be read now: too much.',
  });
});

it("says of a suspended program how it is brought back, not how it is ended", async () => {
  const { desk, coder } = await hostedAgent();
  coder.standing = "stopped";
  await expect(desk.done(desk.use.peek({ who: "coder" }))).rejects.toMatchObject({
    code: "terminal.unreadable",
    message: 'The screen of "coder" cannot be read now: suspended: bring it back with fg.',
    next: 'Sit at its terminal with "bellhop attach coder", and bring it back with fg.',
  });
});

it("says that its host does not answer where it never did", async () => {
  const { desk, coder } = await hostedAgent();
  coder.program.terminal.read = () => new Promise(() => {});
  await expect(desk.done(desk.use.peek({ who: "coder" }))).rejects.toMatchObject({
    message: 'The screen of "coder" cannot be read now: its host does not answer.',
  });
});

describe("the conversation of an agent", () => {
  const READ = {
    kind: "read",
    file: "/s.jsonl",
    utterances: [{ by: "prompt", text: "hi" }],
    more: false,
  } as const;

  it("is read from its session file, also when it has ended", async () => {
    const { desk, coder } = await oneAgent();
    const asked: unknown[] = [];
    desk.conversation = (...given) => {
      asked.push(given);
      return READ;
    };
    const session = desk.sessionOf(coder);
    const shown = {
      sessionId: session,
      agent: "coder",
      program: "plain",
      file: "/s.jsonl",
      entries: READ.utterances,
    };
    expect(await desk.use.transcript({ who: "coder", last: 5 })).toEqual({ ...shown, more: false });
    desk.ends(coder);
    await desk.done(desk.office.scan());
    expect(await desk.use.transcript({ who: "coder" })).toEqual({ ...shown, more: false });
    expect(asked).toEqual([
      ["plain", undefined, 5],
      ["plain", undefined, 20],
    ]);
  });

  it("that cannot be read is refused with why, and another way to look", async () => {
    const { desk } = await oneAgent();
    await expect(desk.use.transcript({ who: "coder" })).rejects.toMatchObject({
      code: "conversation.unknown",
      message: 'The conversation of "coder" cannot be read: no file.',
      next: expect.stringContaining("bellhop peek coder"),
    });
    await desk.use.agent_add({ name: "reader" });
    await expect(desk.use.transcript({ who: "reader" })).rejects.toMatchObject({ code: "session.exited" });
  });

  it("is its own, and another agent's only with the right to others' mail", async () => {
    const { desk, coder } = await oneAgent();
    desk.conversation = () => READ;
    desk.agent("reviewer");
    await desk.done(desk.use.ls({}));
    const { server, pane } = coder.sighting.identity;
    const claims = { user: "dev", tmux: { socket: server, pane } };
    const as = (who: string) => desk.office.useCases.transcript({ who }, claims);
    expect((await as("coder")).entries).toHaveLength(1);
    await expect(as("reviewer")).rejects.toMatchObject({
      code: "rights.missing",
      message: expect.stringContaining("mail-of-others"),
    });
    const byAgent = new Map([["coder", ["mail-of-others" as const]]]);
    desk.settings = { ...desk.settings, rights: { ...desk.settings.rights, byAgent } };
    expect((await as("reviewer")).entries).toHaveLength(1);
  });
});
