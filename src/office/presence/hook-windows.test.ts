import { describe, expect, it } from "vitest";
import { FakeClock, OpenWork } from "../../../tests/desk/clock.ts";
import { HookWindows, WINDOW_LIMITS } from "./hook-windows.ts";

const ASKING = { code: "h1", moment: "tool-result", event: "PostToolUse" } as const;

function opened() {
  const clock = new FakeClock(new OpenWork());
  const windows = new HookWindows(clock);
  const window = windows.ask(ASKING);
  if (window === undefined) throw new Error("no window");
  const answers: (string | undefined)[] = [];
  const printed: string[] = [];
  void window.answer.then((text) => answers.push(text));
  void window.printed.then(() => printed.push("printed"));
  return { clock, windows, window, answers, printed };
}

describe("a hook that waits", () => {
  it("gets the text, once", async () => {
    const { clock, windows, window, answers } = opened();
    expect(windows.open).toBe(window);
    expect(window.claim()).toBe(true);
    expect(window.claim()).toBe(false);
    expect(windows.open).toBeUndefined();
    expect(window.hand("text")).toBe(true);
    expect(window.hand("other")).toBe(false);
    window.close();
    await clock.advance(5_000);
    expect(answers).toEqual(["text"]);
  });

  it("goes on without one when its time is up, and then takes none", async () => {
    const { clock, window, answers } = opened();
    await clock.advance(WINDOW_LIMITS.openMs - 1);
    expect(answers).toEqual([]);
    await clock.advance(1);
    expect(answers).toEqual([undefined]);
    expect(window.claim()).toBe(false);
    expect(window.hand("text")).toBe(false);
  });

  it("does not wait longer for a disk that is slow to write the hand-over down", async () => {
    const { clock, window, answers } = opened();
    await clock.advance(WINDOW_LIMITS.openMs - 1);
    window.claim();
    await clock.advance(WINDOW_LIMITS.claimedMs - 1);
    expect(answers).toEqual([]);
    await clock.advance(1);
    expect(answers).toEqual([undefined]);
    expect(window.hand("text")).toBe(false);
  });

  it("is the only one of its program", () => {
    const { windows, window } = opened();
    expect(windows.ask({ ...ASKING, code: "h2" })).toBeUndefined();
    window.close();
    expect(windows.ask({ ...ASKING, code: "h2" })?.asking.code).toBe("h2");
  });

  it("goes on when its program ends", async () => {
    const { clock, windows, answers } = opened();
    windows.shut();
    await clock.advance(0);
    expect(answers).toEqual([undefined]);
  });

  it("has printed only what it was given", async () => {
    const { clock, window, printed } = opened();
    window.hasPrinted();
    window.claim();
    window.hasPrinted();
    await clock.advance(0);
    expect(printed).toEqual([]);
    window.hand("text");
    window.hasPrinted();
    await clock.advance(0);
    expect(printed).toEqual(["printed"]);
  });
});
