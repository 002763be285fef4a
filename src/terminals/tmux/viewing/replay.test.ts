import headless from "@xterm/headless";
import { describe, expect, it } from "vitest";
import { screenRows } from "../../../screens/cells.ts";
import { drawAlike } from "../../../screens/same-drawing.ts";
import type { Block } from "../control/control.ts";
import { type Capture, readCapture } from "./capture.ts";
import { PenCarry } from "./pen-carry.ts";
import { PenTracker } from "./pen-tracker.ts";
import { REPLAY_LIMITS, replay } from "./replay.ts";

const BASE: Capture = {
  cols: 10,
  rows: 3,
  windowId: "@1",
  isHere: true,
  panePid: 1,
  title: "",
  screen: ["one", "two", ""],
  saved: undefined,
  history: [],
  unfinished: Buffer.alloc(0),
  cursor: { x: 3, y: 1 },
  region: { upper: 0, lower: 2 },
  tabs: [8],
  modes: new Set(["cursor_flag", "wrap_flag"]),
};

async function drawn(capture: Partial<Capture>, then = "", pen = "") {
  const whole = { ...BASE, ...capture };
  const { cols, rows } = whole;
  const terminal = new headless.Terminal({ cols, rows, scrollback: 100, allowProposedApi: true });
  const unlisted = drawAlike(terminal);
  // Whatever was there before is void.
  await new Promise<void>((resolve) =>
    terminal.write(`junk\x1b[?1049h\x1b[2;2r\x1b[41mmore\x1b]2;cut off`, resolve),
  );
  await new Promise<void>((resolve) => terminal.write(replay(whole, pen, "") + then, resolve));
  const { active, normal } = terminal.buffer;
  const styles = screenRows(terminal, active, active.baseY).map((row) => row.map(({ style }) => style));
  const text = (at: typeof active, y: number) => at.getLine(y)?.translateToString(true) ?? "";
  return {
    rows: Array.from({ length: rows }, (_, y) => text(active, active.baseY + y)),
    history: Array.from({ length: normal.baseY }, (_, y) => text(normal, y)),
    styles,
    cursor: { x: active.cursorX, y: active.cursorY },
    isAlternate: active.type === "alternate",
    isCursorShown: unlisted.cursorVisible,
    modes: terminal.modes,
  };
}

describe("a replayed capture", () => {
  it("shows the rows, the cursor and nothing of what was there before", async () => {
    const { rows, cursor, styles } = await drawn({});
    expect(rows).toEqual(["one", "two", ""]);
    expect(cursor).toEqual({ x: 3, y: 1 });
    expect(new Set(styles.flat())).toEqual(new Set([""]));
  });

  it("carries colours from row to row, and ends plain", async () => {
    const screen = ["\x1b[31mred", "still", "\x1b[0;1mbold"];
    const { styles } = await drawn({ screen, cursor: { x: 5, y: 1 } }, "x");
    expect(styles.map((row) => row[0])).toEqual(["31", "31", "1"]);
    expect(styles[1]?.[5]).toBe("");
  });

  it("has the history above the screen, the newest if it is too long, and no ground colour of it", async () => {
    const { rows, history, styles } = await drawn({ history: ["\x1b[44mold", "older than the rest", "new"] });
    expect(history).toEqual(["old", "older than", " the rest", "new"]);
    expect(rows).toEqual(["one", "two", ""]);
    expect(new Set(styles.flat())).toEqual(new Set([""]));
    const long = "x".repeat(REPLAY_LIMITS.historyCharacters / 2);
    expect(replay({ ...BASE, history: ["gone", long, long] }, "", "")).not.toContain("gone");
  });

  it("has what is under the alternate screen, with its own cursor", async () => {
    const saved = { rows: ["under", ""], x: 2, y: 1 };
    const at = await drawn({ saved });
    expect(at).toMatchObject({ isAlternate: true, rows: ["one", "two", ""], cursor: { x: 3, y: 1 } });
    const back = await drawn({ saved }, "\x1b[?1049l");
    expect(back).toMatchObject({ isAlternate: false, rows: ["under", "", ""], cursor: { x: 2, y: 1 } });
  });

  it("leaves the cursor behind the last column, where the next character wraps", async () => {
    const screen = ["\x1b[32m0123456789", "", ""];
    const { rows, styles } = await drawn({ screen, cursor: { x: 10, y: 0 } }, "w");
    expect(rows).toEqual(["0123456789", "w", ""]);
    expect(styles[0]?.[9]).toBe("32");
  });

  it("keeps the region that scrolls, line drawing, tab stops and modes", async () => {
    const modes: Capture["modes"] = new Set(["keypad_cursor_flag"]);
    const at = await drawn(
      { screen: ["\x0elqk\x0f", "a", "b"], region: { upper: 1, lower: 2 }, modes, cursor: { x: 0, y: 2 } },
      "\n\x1b[3;1Hc",
    );
    expect(at.rows).toEqual(["┌─┐", "b", "c"]);
    expect(at.isCursorShown).toBe(false);
    expect(at.modes).toMatchObject({
      applicationCursorKeysMode: true,
      wraparoundMode: false,
      bracketedPasteMode: true,
    });
    const tabbed = await drawn({ tabs: [3, 6], cursor: { x: 0, y: 2 } }, "\tx\ty");
    expect(tabbed.rows[2]).toBe("   x  y");
  });

  it("goes on with the program's own pen", async () => {
    const pen = new PenTracker();
    pen.take("\x1b[0m\x1b[1;38;5;200mx");
    const { styles } = await drawn({}, "y", pen.text);
    expect(styles[1]?.[3]).toBe("1;38;5;200");
  });
});

describe("a pen", () => {
  it.each([
    [["\x1b[31m"], false, "\x1b[0;31m"],
    [["\x1b[0;31m", "\x1b[1m"], true, "\x1b[0;31;1m"],
    [["\x1b[m\x1b[1;4;31m\x1b[22;39m"], true, "\x1b[0;4m"],
    [["\x1b[0m\x1b[38;2;1;2;", "3;7m"], true, "\x1b[0;38;2;1;2;3;7m"],
    [["\x1b[0;48:2::1:2:3m"], true, "\x1b[0;48:2::1:2:3m"],
    [["\x1b[0;31m\x1b7\x1b[32m\x1b8"], true, "\x1b[0;31m"],
    [["\x1b[31m\x1bc"], true, "\x1b[0m"],
    [["\x1b[0;4m\x1b[4:0m"], true, "\x1b[0m"],
  ] as const)("after %j is known: %s, and is %j", (pieces, isKnown, text) => {
    const pen = new PenTracker();
    for (const piece of pieces) pen.take(piece);
    expect(pen.isKnown).toBe(isKnown);
    expect(pen.text.endsWith(text)).toBe(true);
  });

  it("is carried as tmux writes it in a capture", () => {
    const carry = new PenCarry();
    carry.take("\x1b[1m\x1b[31mred\x1b[32mgreen\x1b[44m");
    expect(carry.text).toBe("\x1b[1m\x1b[32m\x1b[44m");
    carry.take("\x1b[0;3m\x0eq");
    expect(carry.text).toBe("\x1b[0;3m\x0e");
  });
});

describe("the reply to a capture", () => {
  const block = (...lines: readonly string[]): Block => ({ ok: true, lines });
  const facts = "77/10/3/1/2/1/4/5/0/2/9/1/0/0/0/0/0/0/0/0/0/1/@3/8";
  const blocks = [
    block(facts),
    block("title"),
    block("a", "b"),
    block("under"),
    block("h"),
    block("\\033[3"),
    block("%1", "%7"),
  ];

  it("is read as what the pane shows", () => {
    expect(readCapture(blocks, "%7")).toMatchObject({
      kind: "capture",
      capture: {
        cols: 10,
        rows: 3,
        panePid: 77,
        windowId: "@3",
        isHere: true,
        title: "title",
        screen: ["a", "b"],
        saved: { rows: ["under"], x: 4, y: 5 },
        history: ["h"],
        unfinished: Buffer.from("\x1b[3"),
        cursor: { x: 1, y: 2 },
        modes: new Set(["cursor_flag", "wrap_flag"]),
      },
    });
    expect(readCapture(blocks, "%2")).toMatchObject({ capture: { isHere: false } });
  });

  it("of a pane that is gone, or in another form, is nothing that could be shown", () => {
    expect(readCapture([block("/".repeat(23)), ...blocks.slice(1)], "%7")).toEqual({ kind: "gone" });
    expect(readCapture([{ ok: false, lines: ["can't find pane: %7"] }], "%7")).toEqual({ kind: "gone" });
    expect(readCapture([{ ok: false, lines: ["no such flag"] }], "%7").kind).toBe("malformed");
    expect(readCapture([block("something else"), ...blocks.slice(1)], "%7").kind).toBe("malformed");
  });
});
