import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "./clock.ts";

describe("the system clock", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("waits for sixty days and not a moment less", () => {
    const call = vi.fn();
    const days = 60 * 86_400_000;
    systemClock.after(days, call);
    vi.advanceTimersByTime(days - 1);
    expect(call).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(call).toHaveBeenCalledOnce();
  });

  it("cancels, also after the first leg of a long wait", () => {
    const call = vi.fn();
    const cancel = systemClock.after(2 ** 31 + 5, call);
    vi.advanceTimersByTime(2 ** 31);
    cancel();
    vi.advanceTimersByTime(10);
    expect(call).not.toHaveBeenCalled();
  });
});
