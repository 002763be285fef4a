import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../../tests/desk/agent.ts";
import { type Desk, openDesk } from "../../../../tests/desk/desk.ts";
import { findTokens } from "../../../core/text/prompt.ts";

/** A program whose inbox accepts at once and runs the text when its turn has ended, as Codex does. */
async function inTurn(): Promise<{ desk: Desk; coder: DeskAgent; tester: DeskAgent }> {
  const desk = await openDesk();
  const coder = desk.agent("coder", { program: "stashing" });
  const tester = desk.agent("tester");
  await desk.ready();
  await desk.hooked(coder);
  desk.inbox.offer = { kind: "offered" };
  desk.inbox.answer = { kind: "handed-over", acknowledged: true };
  await desk.hook(coder, { turn: "prompt-submitted", prompt: "work" });
  coder.program.becomes({ busy: true });
  return { desk, coder, tester };
}

describe("a message that waits in the program's own queue", () => {
  it("is said to be queued there, and submitted when a hook tells that it was taken", async () => {
    const { desk, coder, tester } = await inTurn();
    const sent = await desk.sendAs(tester, "coder", "hello");
    await desk.advance(1_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "queued-in-agent" });
    await desk.turnEnds(coder);
    expect(desk.state(sent)).toBe("delivered");
    await desk.done(desk.hook(coder, { turn: "prompt-submitted", prompt: desk.inbox.received[0] ?? "" }));
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "submitted" });
    await desk.turnEnds(coder);
    expect(desk.state(sent)).toBe("read");
  });

  it("does not hold up an interrupt behind it", async () => {
    const { desk, coder, tester } = await inTurn();
    await desk.sendAs(tester, "coder", "in the queue");
    await desk.sendAs(tester, "coder", "stop", { priority: "interrupt" });
    await desk.advance(3_000);
    expect(coder.program.pressed).toEqual(["Escape"]);
    expect(desk.inbox.received).toHaveLength(2);
  });

  it("is submitted when its hook was recorded in the moment in which we stopped waiting for it", async () => {
    const { desk, coder, tester } = await inTurn();
    const sessionId = desk.sessionOf(coder);
    desk.onStep((step) => {
      if (step !== "deliver.proven") return;
      const [token = ""] = findTokens(desk.inbox.received[0] ?? "");
      const now = desk.clock.now();
      const event = {
        sessionId,
        event: "prompt-submitted",
        emittedAt: now,
        receivedAt: now,
        tokens: [token],
      };
      void desk.store.write((tx) => tx.appendHookEvent(event));
    });
    const sent = await desk.sendAs(tester, "coder", "hello");
    await desk.advance(2_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "submitted" });
  });
});
