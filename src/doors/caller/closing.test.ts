import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { closingSwitch, unless } from "./closing.ts";

const never = new Promise<string>(() => {});

describe("a wait that a closing door ends", () => {
  it("brings what the work brings, and leaves no listener behind", async () => {
    const closing = closingSwitch();
    expect(await unless(closing.begun, Promise.resolve("done"), () => "instead")).toBe("done");
    await expect(unless(closing.begun, Promise.reject(new Error("no")), () => "x")).rejects.toThrow("no");
    expect(getEventListeners(closing.begun, "abort")).toEqual([]);
  });

  it("ends when the door begins to close", async () => {
    const closing = closingSwitch();
    const waiting = unless(closing.begun, never, () => "instead");
    closing.begin();
    expect(await waiting).toBe("instead");
    expect(closing.over.aborted).toBe(false);
  });

  it("does not begin when the door is closing already", async () => {
    const closing = closingSwitch();
    closing.end();
    expect(await unless(closing.over, never, () => "instead")).toBe("instead");
  });

  it("does not mind work that fails afterwards", async () => {
    const closing = closingSwitch();
    let fail: (error: Error) => void = () => {};
    const work = new Promise<string>((_, reject) => {
      fail = reject;
    });
    const waiting = unless(closing.begun, work, () => "instead");
    closing.begin();
    expect(await waiting).toBe("instead");
    fail(new Error("too late"));
  });
});
