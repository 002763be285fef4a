import { describe, expect, it, vi } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { type Desk, openDesk } from "../../../tests/desk/desk.ts";
import { DeskHosts } from "../../../tests/desk/hosts.ts";

const TURN_MS = 60_000;
const REST_MS = 20_000;

async function alone(desk: Desk): Promise<DeskAgent> {
  const coder = desk.agent("coder");
  await desk.ready();
  await desk.send("coder", "hello");
  return coder;
}

async function hooked(desk: Desk): Promise<DeskAgent> {
  const coder = desk.agent("coder");
  await desk.ready();
  await desk.hooked(coder);
  await desk.send("coder", "hello");
  return coder;
}

async function child(desk: Desk): Promise<DeskAgent> {
  const hosts = new DeskHosts(desk);
  desk.hosts = hosts;
  const { server, pane } = desk.agent("lead").sighting.identity;
  await desk.ready();
  const { sessionId } = await desk.done(
    desk.use.spawn({
      command: ["plain"],
      folder: "/home/dev/login",
      environment: {},
      prompt: "implement the login",
      claims: { user: "dev", tmux: { socket: server, pane } },
    }),
  );
  return hosts.agent(sessionId);
}

/** How often its screen is read during a turn of a minute, and while it is idle afterwards. */
async function looksAt(
  desk: Desk,
  { program }: DeskAgent,
  printsEveryMs: number,
): Promise<{ readonly atWork: number; readonly atRest: number }> {
  const read = vi.spyOn(program.terminal, "read");
  for (let look = 0; program.submitted.length === 0 && look < 100; look += 1) await desk.advance(100);
  read.mockClear();
  program.becomes({ busy: true });
  for (let passedMs = 0; passedMs < TURN_MS; passedMs += printsEveryMs) {
    await desk.advance(printsEveryMs);
    program.prints(`line ${passedMs}`);
  }
  const atWork = read.mock.calls.length;
  program.becomes({ busy: false });
  await desk.advance(REST_MS);
  return { atWork, atRest: read.mock.calls.length - atWork };
}

describe("the screen of a program", () => {
  /** If each onlooker looked for itself: 50, 90, 32; 80, 120, 62; 20, 60, 2 at work, and 4, 5, 1 at rest. */
  it.each([
    { who: alone, printsEveryMs: 250, atWork: 30, atRest: 3 },
    { who: alone, printsEveryMs: 1_000, atWork: 60, atRest: 3 },
    { who: alone, printsEveryMs: TURN_MS, atWork: 30, atRest: 3 },
    { who: child, printsEveryMs: 250, atWork: 30, atRest: 3 },
    { who: child, printsEveryMs: 1_000, atWork: 60, atRest: 3 },
    { who: child, printsEveryMs: TURN_MS, atWork: 30, atRest: 3 },
    { who: hooked, printsEveryMs: 250, atWork: 20, atRest: 1 },
    { who: hooked, printsEveryMs: 1_000, atWork: 60, atRest: 1 },
    { who: hooked, printsEveryMs: TURN_MS, atWork: 2, atRest: 1 },
  ])(
    "is read no more than $atWork times in a turn of a minute, whoever goes by it ($who.name, a line every $printsEveryMs ms)",
    async ({ who, printsEveryMs, atWork, atRest }) => {
      const desk = await openDesk();
      const looks = await looksAt(desk, await who(desk), printsEveryMs);
      expect(looks.atWork).toBeLessThanOrEqual(atWork);
      expect(looks.atRest).toBeLessThanOrEqual(atRest);
    },
  );

  it("is not read while nothing moves and nobody waits for anything", async () => {
    const desk = await openDesk();
    const { program } = desk.agent("coder");
    await desk.ready();
    await desk.advance(10_000);
    const read = vi.spyOn(program.terminal, "read");
    await desk.advance(600_000);
    expect(read).not.toHaveBeenCalled();
  });

  it("is read when it has come to rest, and at the latest after three seconds", async () => {
    const desk = await openDesk();
    const { program } = desk.agent("coder");
    await desk.ready();
    await desk.advance(10_000);
    const read = vi.spyOn(program.terminal, "read");
    program.prints("a line");
    await desk.advance(699);
    expect(read).not.toHaveBeenCalled();
    await desk.advance(1);
    expect(read).toHaveBeenCalledOnce();
    await desk.advance(10_000);
    read.mockClear();
    for (let passedMs = 0; passedMs < 3_000; passedMs += 100) {
      expect(read).not.toHaveBeenCalled();
      program.prints(`line ${passedMs}`);
      await desk.advance(100);
    }
    expect(read).toHaveBeenCalledOnce();
  });

  it("is not read by two looks at a time, however long one takes; what moves meanwhile is looked at after it", async () => {
    const desk = await openDesk();
    const { program } = desk.agent("coder");
    await desk.ready();
    await desk.advance(10_000);
    const answers: (() => void)[] = [];
    const outcome = await program.terminal.read();
    const read = vi.spyOn(program.terminal, "read").mockImplementation(
      () =>
        new Promise((resolve) => {
          answers.push(() => resolve(outcome));
        }),
    );
    program.prints("a line");
    await desk.advance(700);
    program.prints("another");
    await desk.advance(700);
    expect(read).toHaveBeenCalledOnce();
    answers[0]?.();
    await desk.advance(0);
    expect(read).toHaveBeenCalledTimes(2);
    answers[1]?.();
  });
});
