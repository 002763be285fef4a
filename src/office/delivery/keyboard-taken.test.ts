/** A person has taken the keyboard of a hosted terminal (passthrough): what waits, and what does not. */
import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";
import { KEYBOARD_TAKEN } from "../../core/readiness/screen.ts";

const URGENT = { priority: "interrupt" } as const;

async function inPassthrough(): Promise<{ readonly desk: Desk; readonly coder: DeskAgent }> {
  const { desk, coder } = await oneAgent({ program: "stashing" });
  coder.program.terminal.show({ mode: KEYBOARD_TAKEN });
  return { desk, coder };
}

function escapes({ program }: DeskAgent): number {
  return program.pressed.filter((key) => key === "Escape").length;
}

describe("while a person has the keyboard", () => {
  it.each([
    ["a normal message", {}],
    ["raw text, however urgent", { raw: true, ...URGENT }],
  ])("%s waits until it is given back", async (_, more) => {
    const { desk, coder } = await inPassthrough();
    const sent = await desk.send("coder", "hello", more);
    await desk.advance(60_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "attached" } });
    expect(coder.program.terminal.received.toString()).toBe("");
    coder.program.terminal.show({ mode: "" });
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("a message that a person lets go waits too", async () => {
    const { desk, coder } = await inPassthrough();
    const sent = await desk.send("coder", "hello");
    await desk.done(desk.use.queue_change({ id: sent.messageId, change: "now" }));
    await desk.advance(60_000);
    expect(desk.delivery(sent).hold?.reason).toBe("attached");
    expect(coder.program.submitted).toEqual([]);
  });

  it("an interrupt goes in once their keys are quiet", async () => {
    const { desk, coder } = await inPassthrough();
    const sent = await desk.send("coder", "stop", URGENT);
    for (let second = 0; second < 15; second += 1) {
      coder.program.terminal.personTyped();
      await desk.advance(1_000);
    }
    expect(coder.program.submitted).toEqual([]);
    expect(desk.delivery(sent).hold?.reason).toBe("typing");
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("an interrupt stops a turn with one key, and not between theirs", async () => {
    const { desk, coder } = await inPassthrough();
    coder.program.becomes({ busy: true });
    coder.program.terminal.personTyped();
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(1_500);
    expect(escapes(coder)).toBe(0);
    await desk.advance(20_000);
    expect(escapes(coder)).toBe(1);
    expect(desk.state(sent)).toBe("delivered");
  });

  it.each(["plain", "stashing"] as const)(
    "an interrupt gives their draft back, without waiting for the keyboard (%s)",
    async (program) => {
      const { desk, coder } = await oneAgent({ program });
      coder.program.types("half a thought");
      coder.program.terminal.show({ mode: KEYBOARD_TAKEN });
      const sent = await desk.send("coder", "stop", URGENT);
      await desk.advance(30_000);
      expect(desk.state(sent)).toBe("delivered");
      expect(coder.program.submitted).toHaveLength(1);
      expect(coder.program.submitted[0]).not.toContain("half a thought");
      expect(coder.program.draft).toBe("half a thought");
      expect(desk.drafts().map(({ state }) => state)).toEqual(["restored"]);
    },
  );
});
