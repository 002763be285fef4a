import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Row } from "../screens/cells.ts";
import type { HostState } from "../wire/host/host.ts";
import type { QueuedDelivery } from "../wire/shapes/messages.ts";
import type { ShownSession } from "../wire/shapes/sessions.ts";
import { barRow } from "./drawing/bar-row.ts";
import { cellsOf, cutCells, rowOf } from "./drawing/cell-text.ts";
import { type Daemon, type Standing, statusRow } from "./drawing/status-row.ts";
import { EMPTY_BAR } from "./keys/bar.ts";

const textOf = (row: Row) =>
  row
    .map(({ text }) => text)
    .join("")
    .trimEnd();

/** One cell per column, each wide one followed by its second half, and no control characters. */
function expectWhole(row: Row, columns: number): void {
  const wrong = row.filter((cell, x) => {
    const isHalf = row[x - 1]?.width === 2;
    if ((cell.width === 0) !== isHalf || (cell.width === 2 && x === row.length - 1)) return true;
    return /[\0-\x1f\x7f-\x9f]/.test(cell.text) || (cell.text === "" && !isHalf);
  });
  expect({ columns: row.length, wrong }).toEqual({ columns, wrong: [] });
}

const host: HostState = { viewers: 1, passthrough: null, exit: null, title: "" };
const session: ShownSession = {
  agent: "coder",
  readiness: "idle",
  paused: false,
  deliveries: [],
  drafts: [],
};
const standing: Standing = { agent: "coder", daemon: { at: "there", session }, host, viewer: 1 };
const there = (change: Partial<ShownSession>): Daemon => ({
  at: "there",
  session: { ...session, ...change },
});
const waiting = (hold?: QueuedDelivery["hold"]): QueuedDelivery => ({
  id: "d",
  messageId: "m",
  shortId: "a1b2c3",
  to: "agent/coder",
  from: "person/dev",
  priority: "normal",
  state: "queued",
  ...(hold === undefined ? {} : { hold }),
  queuedAt: 1,
  preview: "text",
});
const lineOf = (change: Partial<Standing>, columns = 100) =>
  textOf(statusRow({ ...standing, ...change }, columns));

describe("the status line", () => {
  it("tells the agent, its state, the queue, the first hold and what releases it", () => {
    const hold = { reason: "busy", since: 1, release: "when its turn ends" } as const;
    const deliveries = [waiting(), waiting(hold), waiting()];
    expect(lineOf({ daemon: there({ readiness: "busy", deliveries }) })).toMatch(
      /^ coder busy · 3 queued · busy: when its turn ends {2,}1 viewer$/,
    );
  });

  it("tells a draft that stands in the program's line", () => {
    expect(lineOf({ daemon: there({ composer: "draft" }) })).toContain("idle · draft in its line");
    expect(lineOf({ daemon: there({ composer: "empty" }) })).not.toContain("draft");
  });

  it("tells a pause and a kept draft", () => {
    const draft = {
      id: "d1",
      sessionId: "s",
      agent: "coder",
      text: "x",
      exact: true,
      state: "kept",
      keptAt: 1,
    };
    const line = lineOf({ daemon: there({ paused: true, drafts: [draft] }) });
    expect(line).toContain("idle · paused · 1 kept draft");
  });

  it("tells who has the keyboard", () => {
    expect(lineOf({ host: { ...host, viewers: 2, passthrough: 1 } })).toMatch(/2 viewers · keyboard: you$/);
    expect(lineOf({ host: { ...host, viewers: 3, passthrough: 2 } })).toMatch(
      /3 viewers · keyboard: viewer 2$/,
    );
  });

  it("tells that the daemon is away", () => {
    expect(lineOf({ daemon: { at: "away" } })).toMatch(/^ coder daemon away {2,}1 viewer$/);
  });

  it("tells what a daemon says that does not tell", () => {
    const daemon: Daemon = { at: "refusing", message: "No session matches x." };
    expect(lineOf({ daemon })).toMatch(/^ coder daemon: No session matches x\. {2,}1 viewer$/);
  });

  it("shows a note in place of the rest, and still who else is there", () => {
    const line = lineOf({ note: { text: "a draft came back", tone: "announcement" } });
    expect(line).toMatch(/^ coder {2}a draft came back {2,}1 viewer$/);
  });

  it("gives up its right side before its left, and cuts with a sign", () => {
    expect(lineOf({ daemon: { at: "away" } }, 20)).toBe(" coder daemon away");
    expect(lineOf({ daemon: { at: "away" } }, 12)).toBe(" coder daem…");
  });

  it("is one whole row at any width, whatever others call themselves", () => {
    const word = fc.string({ unit: "grapheme", maxLength: 30 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 120 }),
        word,
        word,
        fc.nat(3),
        (columns, agent, release, owner) => {
          const deliveries = [waiting({ reason: "typing", since: 1, release })];
          const passthrough = owner === 0 ? null : owner;
          const shown = { ...standing, agent, daemon: there({ deliveries }), host: { ...host, passthrough } };
          expectWhole(statusRow(shown, columns), columns);
          expectWhole(statusRow({ ...shown, note: { text: release, tone: "bad" } }, columns), columns);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("the bar's line", () => {
  it("shows the priority at its left and the hint while it is empty", () => {
    const { row, cursorX } = barRow({ ...EMPTY_BAR, priority: "interrupt" }, "queued #a1b2c3", 60);
    expect(textOf(row)).toBe(" interrupt ❯ queued #a1b2c3");
    expect(cursorX).toBe(13);
  });

  it("shows newlines and tabs as signs", () => {
    const { row } = barRow({ ...EMPTY_BAR, text: "one\ntwo\tthree", at: 3 }, "", 60);
    expect(textOf(row)).toBe(" normal ❯ one↵two→three");
  });

  it("shows the part around the cursor of a text that does not fit", () => {
    const text = Array.from({ length: 60 }, (_, at) => String(at % 10)).join("");
    const atEnd = barRow({ ...EMPTY_BAR, text, at: 60 }, "", 30);
    expect(textOf(atEnd.row)).toBe(" normal ❯ …234567890123456789");
    expect(atEnd.cursorX).toBe(29);
    const middle = barRow({ ...EMPTY_BAR, text, at: 30 }, "", 30);
    expect(textOf(middle.row)).toMatch(/^ normal ❯ …\d+…$/);
    expect(middle.row[middle.cursorX]?.text).toBe("0");
  });

  it("is one whole row with its cursor inside, at any width and any text", () => {
    const text = fc
      .string({ unit: "grapheme", maxLength: 80 })
      .map((typed) => typed.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, ""));
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 60 }), text, fc.nat(80), (columns, typed, place) => {
        const cut = Math.min(place, typed.length);
        const at = typed.slice(0, cut).isWellFormed() && typed.slice(cut).isWellFormed() ? cut : typed.length;
        const { row, cursorX } = barRow({ ...EMPTY_BAR, text: typed, at }, "a hint", columns);
        expectWhole(row, columns);
        expect(cursorX).toBeGreaterThanOrEqual(0);
        expect(cursorX).toBeLessThan(columns);
      }),
      { numRuns: 1_000 },
    );
  });

  it("stays quick with the longest text there may be", () => {
    const bar = { ...EMPTY_BAR, text: "漢".repeat(80_000), at: 40_000 };
    expect(textOf(barRow(bar, "", 40).row)).toMatch(/^ normal ❯ …/);
  });
});

describe("text as cells", () => {
  it("joins marks to their character and drops what a terminal would obey", () => {
    expect(cellsOf({ text: "e\u0301漢\u0301\x1b[x" }).map(({ text }) => text)).toEqual([
      "e\u0301",
      "漢\u0301",
      "",
      "[",
      "x",
    ]);
  });

  it("cuts no character in half", () => {
    expect(cutCells(cellsOf({ text: "漢字漢" }), 4).map(({ text }) => text)).toEqual(["漢", "", " ", "…"]);
    expect(cutCells(cellsOf({ text: "漢字" }), 0)).toEqual([]);
    expect(rowOf([], 3)).toHaveLength(3);
  });
});
