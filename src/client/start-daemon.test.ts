import { describe, expect, it } from "vitest";
import { failureFrom } from "./start-daemon.ts";

describe("what a daemon said before it ended", () => {
  it("gives back its own error with code and advice", () => {
    const line = JSON.stringify({
      error: { code: "store.corrupt", message: "Broken.", next: "Restore it." },
    });
    expect(failureFrom(`noise\n${line}\n`, "exit status 1")).toMatchObject({
      code: "store.corrupt",
      message: "Broken.",
      next: "Restore it.",
    });
  });

  it("finds the error in a stack trace", () => {
    const output =
      "file:///x.mjs:1\n  boom\n  ^\n\nError: Cannot find module 'y'\n    at z\n\nNode.js v20.20.2\n";
    expect(failureFrom(output, "exit status 1").message).toBe(
      "The daemon ended as soon as it was started (exit status 1): Error: Cannot find module 'y'",
    );
  });

  it("says how it ended when it said nothing", () => {
    expect(failureFrom("", "SIGKILL")).toMatchObject({
      code: "daemon.start_failed",
      message: "The daemon ended as soon as it was started (SIGKILL).",
    });
  });
});
