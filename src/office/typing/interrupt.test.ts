import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";
import type { SendResponse } from "../../wire/shapes/messages.ts";

const URGENT = { priority: "interrupt" } as const;

function escapes({ program }: DeskAgent): number {
  return program.pressed.filter((key) => key === "Escape").length;
}

/** Whether a turn was stopped for it. */
async function claimed(desk: Desk, sent: SendResponse): Promise<boolean> {
  const { deliveries } = await desk.done(desk.use.show({ id: sent.messageId }));
  return deliveries[0]?.interrupted ?? false;
}

describe("an interrupt while the program works", () => {
  it("presses the key once, waits for idle, and delivers", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(20_000);
    expect(escapes(coder)).toBe(1);
    expect(desk.state(sent)).toBe("delivered");
    expect(await claimed(desk, sent)).toBe(true);
  });

  it("presses once the work shows that a message before it began", async () => {
    const { desk, coder } = await oneAgent({ program: "plain" });
    await desk.send("coder", "a long one");
    await desk.advance(300);
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(500);
    expect(escapes(coder)).toBe(0);
    coder.program.becomes({ busy: true });
    await desk.advance(10_000);
    expect(escapes(coder)).toBe(1);
    expect(desk.state(sent)).toBe("delivered");
    expect(await claimed(desk, sent)).toBe(true);
  });

  it("presses the key once for one delivery, however long the turn goes on", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.interruptKey = "does-nothing";
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(120_000);
    expect(escapes(coder)).toBe(1);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "busy" } });
    coder.program.becomes({ busy: false });
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(escapes(coder)).toBe(1);
    expect(await claimed(desk, sent)).toBe(false);
  });

  it("presses at most once when the gate does not answer", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.interruptKey = "does-nothing";
    coder.program.becomes({ busy: true });
    coder.program.terminal.answerGate({ kind: "unknown", cause: "timeout" });
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(60_000);
    expect(coder.program.terminal.gateCalls).toHaveLength(1);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "busy" } });
  });

  it("looks again when the screen moved under it", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.becomes({ busy: true });
    coder.program.terminal.answerGate({ kind: "refused", because: ["cursor-moved"] });
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(20_000);
    expect(escapes(coder)).toBe(1);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("presses later when every look was refused at first", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.becomes({ busy: true });
    const moved = { kind: "refused", because: ["cursor-moved"] } as const;
    coder.program.terminal.answerGate(...Array<typeof moved>(5).fill(moved));
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(1_000);
    expect(desk.delivery(sent).hold).toBeDefined();
    await desk.advance(20_000);
    expect(escapes(coder)).toBe(1);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("stops a program that hides its prompt while it works", async () => {
    const { desk, coder } = await oneAgent({ program: "plain" });
    coder.program.becomes({ busy: true, composer: "hidden" });
    const waiting = await desk.send("coder", "when you are done");
    await desk.advance(1_000);
    expect(desk.delivery(waiting).hold).toMatchObject({ reason: "busy" });
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(2_000);
    expect(escapes(coder)).toBe(1);
    coder.program.becomes({ composer: "shown" });
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(escapes(coder)).toBe(1);
  });

  it("holds where the program has no interrupt key", async () => {
    const { desk, coder } = await oneAgent({ program: "keepless" });
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(20_000);
    expect(desk.delivery(sent).hold).toMatchObject({ reason: "busy" });
    expect(desk.delivery(sent).hold?.release).toContain("no interrupt key");
    expect(coder.program.terminal.received).toHaveLength(0);
  });

  it("gives a person's draft back exactly", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.types("half a thought");
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(30_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(coder.program.draft).toBe("half a thought");
  });
});

describe("an interrupt behind what lies in the program's own inbox", () => {
  /** It works; `queued` prompts are in its inbox, and each begins a moment after the previous turn was stopped. */
  async function working(queued: number) {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    await desk.hooked(coder);
    await desk.done(desk.hook(coder, { turn: "prompt-submitted", prompt: "work" }));
    coder.program.becomes({ busy: true });
    await desk.advance(2_000);
    let left = queued;
    coder.program.onInterrupted = () => {
      if (left === 0) return;
      left -= 1;
      desk.clock.after(1_000, () => {
        coder.program.becomes({ busy: true });
        desk.tell(coder, { turn: "prompt-submitted", prompt: `from its inbox ${left}` });
      });
    };
    return { desk, coder };
  }

  it.each([1, 2])(
    "stops the turns that begin with %i of it, too, and does not wait for their ends",
    async (queued) => {
      const { desk, coder } = await working(queued);
      const sent = await desk.send("coder", "stop", URGENT);
      await desk.advance(15_000);
      expect(desk.state(sent)).toBe("delivered");
      expect(escapes(coder)).toBe(1 + queued);
      expect(await claimed(desk, sent)).toBe(true);
    },
  );

  it("presses three times at most, and takes the next idle moment", async () => {
    const { desk, coder } = await working(5);
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(60_000);
    expect(escapes(coder)).toBe(3);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "busy" } });
    await desk.turnEnds(coder);
    await desk.advance(2_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(escapes(coder)).toBe(3);
  });

  it("lets two seconds pass between two presses: two in a row are another key", async () => {
    const { desk, coder } = await working(1);
    const pressedAt: number[] = [];
    const take = coder.program.terminal.onTyped;
    coder.program.terminal.onTyped = (strokes) => {
      if (strokes.some((stroke) => stroke.kind === "key" && stroke.name === "Escape"))
        pressedAt.push(desk.clock.monotonic());
      take(strokes);
    };
    await desk.send("coder", "stop", URGENT);
    await desk.advance(15_000);
    expect(pressedAt).toHaveLength(2);
    expect((pressedAt[1] ?? 0) - (pressedAt[0] ?? 0)).toBeGreaterThanOrEqual(2_000);
  });
});

describe("an interrupt where there is nothing to stop", () => {
  it("presses nothing when the program is idle", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(5_000);
    expect(escapes(coder)).toBe(0);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("presses nothing while a turn that has just ended settles", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    await desk.hooked(coder);
    await desk.hook(coder, { turn: "prompt-submitted", prompt: "work" });
    await desk.advance(2_000);
    await desk.hook(coder, { turn: "turn-ended" });
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(10_000);
    expect(escapes(coder)).toBe(0);
    expect(desk.state(sent)).toBe("delivered");
  });

  it.each(["plain", "stashing"] as const)(
    "presses nothing behind a message whose turn was over at once (%s)",
    async (program) => {
      const { desk, coder } = await oneAgent({ program });
      await desk.send("coder", "a short one");
      await desk.advance(300);
      expect(coder.program.submitted).toHaveLength(1);
      const sent = await desk.send("coder", "stop", URGENT);
      await desk.advance(10_000);
      expect(escapes(coder)).toBe(0);
      expect(desk.state(sent)).toBe("delivered");
      expect(await claimed(desk, sent)).toBe(false);
    },
  );

  it("presses nothing while the hook of a turn that has ended is still on its way", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    await desk.hooked(coder);
    await desk.hook(coder, { turn: "prompt-submitted", prompt: "work" });
    coder.program.becomes({ busy: true });
    await desk.advance(2_000);
    coder.program.becomes({ busy: false });
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(200);
    await desk.hook(coder, { turn: "turn-ended" });
    await desk.advance(10_000);
    expect(escapes(coder)).toBe(0);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("presses nothing while the screen is behind the hook that told of the end", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    await desk.hooked(coder);
    await desk.hook(coder, { turn: "prompt-submitted", prompt: "work" });
    coder.program.becomes({ busy: true });
    await desk.advance(2_000);
    await desk.hook(coder, { turn: "turn-ended" });
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(150);
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(escapes(coder)).toBe(0);
    expect(desk.state(sent)).toBe("delivered");
  });

  it.each(["plain", "stashing"] as const)(
    "presses nothing where the turn ends between the look and the press (%s)",
    async (program) => {
      const { desk, coder } = await oneAgent({ program });
      coder.program.becomes({ busy: true });
      coder.program.terminal.beforeGate = () => {
        if (!coder.program.busy) return;
        coder.program.becomes({ busy: false });
        // Where the sign was: the caret stays in place.
        coder.program.prints("done");
      };
      const sent = await desk.send("coder", "stop", URGENT);
      await desk.advance(20_000);
      expect(escapes(coder)).toBe(0);
      expect(desk.state(sent)).toBe("delivered");
      expect(await claimed(desk, sent)).toBe(false);
    },
  );

  it("presses nothing because the screen has just moved", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.prints("a line");
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(10_000);
    expect(escapes(coder)).toBe(0);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("presses nothing into a screen that cannot be read", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.becomes({ composer: "hidden" });
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(20_000);
    expect(coder.program.terminal.gateCalls).toEqual([]);
    expect(desk.delivery(sent).hold).toMatchObject({ reason: "unknown" });
  });
});

describe("the moment after an interrupt", () => {
  it("is as long as the settings say: the text does not follow the key at once", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    desk.settings = { ...desk.settings, urgentDelayMs: 8_000 };
    coder.program.becomes({ busy: true });
    await desk.send("coder", "stop", URGENT);
    await desk.advance(8_000);
    expect(escapes(coder)).toBe(1);
    expect(coder.program.submitted).toEqual([]);
    await desk.advance(8_000);
    expect(coder.program.submitted).toHaveLength(1);
  });
});
