import { expect, it } from "vitest";
import { openDesk } from "../../tests/desk/desk.ts";
import type { ScreenOutcome } from "../ports/terminal.ts";

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
