import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Closers } from "./closers.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("closes the newest first, goes on without one that hangs or fails, and says so", async () => {
  const logged: string[] = [];
  const note = (event: string, fields?: Readonly<Record<string, unknown>>) =>
    void logged.push([event, fields?.what].flatMap((one) => one ?? []).join(" "));
  const closers = new Closers({ info: note, warn: note, error: note });
  const closed: string[] = [];
  closers.add("one", () => closed.push("first"));
  closers.add("two", () => new Promise(() => {}));
  closers.add("three", () => Promise.reject(new Error("no")));
  closers.add("four", () => closed.push("last"));
  const all = closers.closeAll();
  await vi.advanceTimersByTimeAsync(2_500);
  await all;
  expect(closed).toEqual(["last", "first"]);
  expect(logged).toEqual([
    ...["daemon.stopping", "daemon.close_failed three", "daemon.close_late two", "daemon.stopped"],
  ]);
});
