/** A release on which Bellhop was never proven: each step is seen before the next. */
import { describe, expect, it } from "vitest";
import { type Desk, oneAgent } from "../../../../../tests/desk/desk.ts";

const OWN = { program: "listed", ownTerminal: true } as const;
const SHELL_UNDER = { program: "listed" } as const;
const SUBMIT = "\x1b[13u";

const proven = { registry: { programSessionId: "a", version: "1.0.0" } };

async function saidBy(desk: Desk, id: string): Promise<string> {
  return JSON.stringify(await desk.done(desk.use.explain({ id })));
}

describe.each([
  ["its own terminal", OWN],
  ["a shell under it", SHELL_UNDER],
])("an unproven release with %s", (_where, options) => {
  it("gets the message, exactly once", async () => {
    const { desk, coder } = await oneAgent(options);
    const sent = await desk.send("coder", "hello");
    await desk.advance(20_000);
    expect(coder.program.submitted).toEqual([`[message from: dev #${sent.shortId}] hello`]);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("gets no key while its screen does not stand still, and says why", async () => {
    const { desk, coder } = await oneAgent(options);
    coder.program.prints("still drawing");
    const sent = await desk.send("coder", "hello");
    for (let second = 0; second < 20; second += 1) {
      coder.program.prints(`line ${second}`);
      await desk.advance(1_000);
    }
    expect(coder.program.terminal.received.toString()).toBe("");
    expect(await saidBy(desk, sent.messageId)).toContain("its release is not known (proven: 1.0.0)");
    await desk.advance(20_000);
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("gets no key while a person's text stands there, however old and however urgent the message", async () => {
    const { desk, coder } = await oneAgent(options);
    coder.program.types("half a thought");
    const sent = await desk.send("coder", "hello");
    const urgent = await desk.send("coder", "stop", { priority: "interrupt" });
    await desk.advance(600_000);
    expect(coder.program.terminal.received.toString()).toBe("");
    expect(coder.program.draft).toBe("half a thought");
    for (const each of [sent, urgent])
      expect(desk.delivery(each)).toMatchObject({ state: "queued", hold: { reason: "typing" } });
    coder.program.sends();
    await desk.advance(30_000);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("gets no key that would close a dialog, even for an urgent message", async () => {
    const { desk, coder } = await oneAgent(options);
    coder.program.becomes({ dialog: "Allow touch a?" });
    const sent = await desk.send("coder", "stop", { priority: "interrupt" });
    await desk.advance(60_000);
    expect(coder.program.terminal.received.toString()).toBe("");
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "blocked" } });
  });

  it("is listed as unproven, with the reason", async () => {
    const { desk } = await oneAgent(options);
    const { sessions } = await desk.done(desk.use.ls({}));
    expect(sessions[0]?.unproven).toBe("its release is not known (proven: 1.0.0)");
    const { sessions: diagnosed } = await desk.done(desk.use.diagnose({}));
    expect(diagnosed[0]?.unproven).toBe(sessions[0]?.unproven);
  });
});

it("submits only where it has seen its text, if no shell is under it", async () => {
  const { desk, coder } = await oneAgent(OWN);
  coder.program.becomes({ composer: "shown" });
  desk.onStep((step) => {
    // Something else stands there after the text was typed.
    if (step === "paste.before-keys")
      coder.beforeAnswer = async () => coder.program.becomes({ dialog: "Allow?" });
  });
  const sent = await desk.send("coder", "hello");
  await desk.advance(30_000);
  expect(coder.program.terminal.received.toString()).toContain("hello");
  expect(coder.program.terminal.received.toString()).not.toContain(SUBMIT);
  expect(coder.program.submitted).toEqual([]);
  expect(desk.state(sent)).toBe("unconfirmed");
});

it("is a release like any other once it says that it is a proven one", async () => {
  const { desk, coder } = await oneAgent({ ...OWN, ...proven });
  expect((await desk.done(desk.use.ls({}))).sessions[0]).not.toHaveProperty("unproven");
  coder.program.becomes({ dialog: "Allow touch a?" });
  await desk.send("coder", "stop", { priority: "interrupt" });
  await desk.advance(60_000);
  expect(coder.program.terminal.received.toString()).toContain("\x1b");
  expect(coder.program.submitted).toHaveLength(1);
});
