import { describe, expect, it } from "vitest";
import { readScreenReply } from "./reply.ts";

const answer = (...lines: string[]) => ({ ok: true, lines });
const facts = (row = "%1/42/@3/10/3/2/1/1/0/0/0/0/0//claude") => answer(row);

describe("the reply to a read", () => {
  it("becomes a screen, with missing lines as empty ones", () => {
    const reply = readScreenReply([facts(), answer("✳ a/b title"), answer("one", "\x1b[2mtwo")]);
    expect(reply).toMatchObject({
      kind: "screen",
      panePid: 42,
      windowId: "@3",
      screen: {
        columns: 10,
        rows: 3,
        cursor: { x: 2, y: 1, visible: true },
        alternate: false,
        title: "✳ a/b title",
        command: "claude",
        mode: "",
        dead: false,
        inputOff: false,
        synchronised: false,
      },
    });
    if (reply.kind === "screen")
      expect(reply.screen.lines.map((line) => line.text)).toEqual(["one", "two", ""]);
  });

  it("tells what scrolled off apart from the screen, with its colours; of nothing scrolled off, nothing", () => {
    const screen = answer("c", "d", "e");
    const whole = answer("a", "\x1b[31mb", "\x1b[39mc", "d", "e");
    expect(readScreenReply([facts(), answer(""), screen, whole], 100)).toMatchObject({
      above: ["a", "\x1b[31mb\x1b[0m"],
    });
    expect(readScreenReply([facts(), answer(""), screen, screen], 100)).toMatchObject({ above: [] });
    expect(readScreenReply([facts(), answer(""), screen], 100)).toMatchObject({ kind: "malformed" });
  });

  it("tells when a key was last pressed, unless people may type from several sessions", () => {
    const reply = (row: string) => readScreenReply([facts(row), answer(), answer()]);
    const row = "%1/42/@3/10/3/2/1/1/0/0/0/0/0//claude";
    expect(reply(`1/1763316000/${row}`)).toMatchObject({ panePid: 42, activity: 1_763_316_000 });
    expect(reply(`2/1763316000/${row}`)).toMatchObject({ panePid: 42, activity: undefined });
  });

  it("shows modes, death and closed input", () => {
    const row = facts("%1/42/@3/10/3/2/1/0/1/1/1/1/1/copy-mode/a/b");
    expect(readScreenReply([row, answer(), answer()])).toMatchObject({
      screen: {
        cursor: { visible: false },
        alternate: true,
        mode: "copy-mode",
        dead: true,
        inputOff: true,
        synchronised: true,
      },
    });
  });

  it("does not overlook a mode without a name", () => {
    const row = facts("%1/42/@3/10/3/2/1/0/1/0/0/0/1//x");
    expect(readScreenReply([row, answer(), answer()])).toMatchObject({
      screen: { mode: "unknown-mode" },
    });
  });

  it("says gone only when tmux says so", () => {
    const missing = { ok: false, lines: ["can't find pane: %9"] };
    expect(readScreenReply([answer("///////////////"), answer(""), missing])).toEqual({
      kind: "gone",
    });
    expect(readScreenReply([{ ok: false, lines: ["out of memory"] }])).toMatchObject({ kind: "malformed" });
  });

  it.each([
    ["a row it does not know", [answer("%1/x"), answer(), answer()]],
    ["a reply too many", [facts(), answer(), answer(), answer()]],
    ["a reply too few", [facts(), answer()]],
    ["more lines than rows", [facts(), answer(), answer("1", "2", "3", "4")]],
  ])("refuses %s", (_, blocks) => {
    expect(readScreenReply(blocks)).toMatchObject({ kind: "malformed" });
  });
});
