import { describe, expect, it } from "vitest";
import { readingObstacle, sendingObstacle } from "./obstacles.ts";

const PATH = "/Users/dev/Library/Messages/chat.db";
const failure = (message: string, more: object = {}) => Object.assign(new Error(message), more);

describe("what keeps Bellhop from reading", () => {
  it.each([
    ["the system", failure("EPERM: operation not permitted, stat", { code: "EPERM" })],
    ["SQLite when it opens", failure("unable to open database file", { errcode: 14 })],
    ["SQLite when it reads", failure("authorization denied", { errcode: 23 })],
    ["SQLite in words alone", failure("authorization denied", { code: "ERR_SQLITE_ERROR" })],
    ["SQLite in disguise", failure("disk I/O error", { errcode: 10, systemErrno: 1 })],
  ])("is Full Disk Access, as %s says it", (_name, error) => {
    const { state, error: words } = readingObstacle(error, PATH);
    expect(state).toBe("refused");
    expect(words).toContain(`macOS does not let Bellhop read ${PATH}: Full Disk Access is missing.`);
  });

  it.each([
    ["no file", failure("ENOENT", { code: "ENOENT" }), "down", "sign in"],
    ["no folder", failure("ENOTDIR", { code: "ENOTDIR" }), "down", "sign in"],
    ["a lock", failure("database is locked", { errcode: 5 }), "down", "tries again"],
    [
      "no descriptor left",
      failure("unable to open database file", { errcode: 14, systemErrno: 24 }),
      "down",
      "tries again",
    ],
    ["damage", failure("database disk image is malformed", { errcode: 11 }), "refused", "damaged"],
    ["anything else", "a\u001b[31mred\nflag", "down", "cannot be read: ared flag."],
  ])("is %s", (_name, error, state, words) => {
    expect(readingObstacle(error, PATH)).toMatchObject({ state, error: expect.stringContaining(words) });
  });
});

describe("what osascript says", () => {
  it("is passed on without where in the script it happened, and without control characters", () => {
    expect(
      sendingObstacle("55:93: execution error: Messages got an error: \u001b[1mNo.\n (-1728)\n"),
    ).toEqual({
      kind: "refused",
      why: "Messages refused: Messages got an error: No.  (-1728)",
    });
  });

  it("is said to be nothing if it is nothing", () => {
    expect(sendingObstacle("\n").why).toContain("did not say why");
  });
});
