import fc from "fast-check";
import { assert, describe, expect, it } from "vitest";
import { BAR_LIMITS, BAR_PRIORITIES, type Bar, EMPTY_BAR, emptied, givenBack, pressInBar } from "./bar.ts";
import type { Key } from "./keys.ts";

const key = (name: string): Key => ({ kind: "key", name });
const text = (typed: string): Key => ({ kind: "text", text: typed });

/** `|` is where the cursor stands. */
function barAt(shown: string): Bar {
  const at = shown.indexOf("|");
  return { ...EMPTY_BAR, text: shown.replace("|", ""), at };
}
const shownOf = ({ text: whole, at }: Bar) => `${whole.slice(0, at)}|${whole.slice(at)}`;

function press(bar: Bar, ...keys: readonly Key[]): Bar {
  return keys.reduce((before, one) => pressInBar(before, one).bar, bar);
}

describe("the bar", () => {
  it.each([
    ["|", text("hé"), "hé|"],
    ["a|b", text("漢"), "a漢|b"],
    ["ab|", key("Left"), "a|b"],
    ["|ab", key("Left"), "|ab"],
    ["a|b", key("Right"), "ab|"],
    ["ab|", key("Right"), "ab|"],
    ["👨‍👩‍👧|", key("Left"), "|👨‍👩‍👧"],
    ["e\u0301|x", key("BSpace"), "|x"],
    ["|🇩🇪x", key("Delete"), "|x"],
    ["x|", key("Delete"), "x|"],
    ["|x", key("BSpace"), "|x"],
    ["one two|", key("Home"), "|one two"],
    ["|one two", key("C-e"), "one two|"],
    ["one two|", key("C-a"), "|one two"],
    ["one two|", key("M-b"), "one |two"],
    ["one, two  |", key("C-Left"), "one, |two  "],
    ["|one, two", key("M-f"), "one|, two"],
    ["one|, two", key("C-Right"), "one, two|"],
    ["one two|", key("C-w"), "one |"],
    ["src/a.ts  |x", key("C-w"), "|x"],
    ["one two|", key("M-BSpace"), "one |"],
    ["one| two", key("M-d"), "one|"],
    ["one| two", key("C-u"), "| two"],
    ["one| two", key("C-k"), "one|"],
    ["über straße|", key("M-b"), "über |straße"],
    ["a|", key("C-j"), "a\n|"],
  ] as const)("%s then a key", (before, pressed, after) => {
    expect(shownOf(press(barAt(before), pressed))).toBe(after);
  });

  it("keeps the newlines of a paste and drops what would be a key to the program", () => {
    const pasted = pressInBar(EMPTY_BAR, text("one\r\ntwo\n\tthree\x1b[201~\x03\x9b"));
    expect(pasted.bar.text).toBe("one\ntwo\n\tthree[201~");
  });

  it("goes through the priorities with Tab, in this order, and back", () => {
    const order: string[] = [];
    let bar = EMPTY_BAR;
    for (const _ of BAR_PRIORITIES) {
      order.push(bar.priority);
      bar = press(bar, key("Tab"));
    }
    expect(order).toEqual(["normal", "idle-first", "idle", "interrupt"]);
    expect(bar.priority).toBe("normal");
    expect(press(bar, key("BTab")).priority).toBe("interrupt");
  });

  it("is normal again after a text was taken: nothing interrupts twice by accident", () => {
    const urgent = press(EMPTY_BAR, text("stop"), key("BTab"));
    expect(pressInBar(urgent, key("Enter"))).toEqual({ kind: "submit", bar: urgent });
    expect(emptied(urgent)).toMatchObject({ text: "", priority: "normal", said: ["stop"] });
  });

  it("brings back what was said, and then the text that was begun", () => {
    const spoken = ["one", "two"].reduce((bar, said) => emptied(press(bar, text(said))), EMPTY_BAR);
    const begun = press(spoken, text("thr"));
    expect(press(begun, key("Up")).text).toBe("two");
    expect(press(begun, key("Up"), key("Up"), key("Up")).text).toBe("one");
    expect(press(begun, key("Up"), key("Up"), key("Down"), key("Down"), key("Down")).text).toBe("thr");
  });

  it("takes a changed old text for a new one and does not forget the begun one", () => {
    const spoken = emptied(press(EMPTY_BAR, text("old")));
    const changed = press(spoken, text("begun"), key("Up"), text("er"));
    expect(changed.text).toBe("older");
    expect(press(changed, key("Up")).text).toBe("begun");
    expect(press(changed, key("Up"), key("Up")).text).toBe("old");
    expect(press(changed, key("Up"), key("Down")).text).toBe("older");
  });

  it("gives a refused text back, unless another was begun: then Up finds it", () => {
    const taken = emptied(press(EMPTY_BAR, text("refused")));
    expect(givenBack(taken, "refused", "idle")).toMatchObject({
      text: "refused",
      priority: "idle",
      said: [],
    });
    const busy = press(taken, text("new"));
    expect(givenBack(busy, "refused", "idle")).toBe(busy);
    expect(press(busy, key("Up")).text).toBe("refused");
  });

  it("knows what it does not know", () => {
    expect(pressInBar(EMPTY_BAR, key("Escape")).kind).toBe("unknown");
    expect(pressInBar(EMPTY_BAR, key("constructor")).kind).toBe("unknown");
    expect(pressInBar(EMPTY_BAR, { kind: "nothing" }).kind).toBe("bar");
  });

  it("holds what a message may hold and not a byte more", () => {
    const full = pressInBar(EMPTY_BAR, text("x".repeat(BAR_LIMITS.bytes)));
    expect(full.kind).toBe("bar");
    expect(pressInBar(full.bar, text("x"))).toEqual({ kind: "full", bar: full.bar });
    expect(pressInBar(press(full.bar, key("BSpace")), text("ü")).kind).toBe("full");
  });

  it("remembers so many texts and no more", () => {
    let bar = EMPTY_BAR;
    for (let said = 0; said <= BAR_LIMITS.said; said += 1) bar = emptied(press(bar, text(`text ${said}`)));
    expect(bar.said.length).toBe(BAR_LIMITS.said);
    expect(bar.said[0]).toBe("text 1");
  });

  it("moves over a long text by words at once", () => {
    const long = { ...barAt(`${"x".repeat(120_000)} y${"y".repeat(100_000)}|`) };
    expect(press(long, key("M-b")).at).toBe(120_001);
    expect(press(long, key("C-w")).text.length).toBe(120_001);
  });
});

const NAMES = [
  ...["Left", "Right", "Home", "End", "BSpace", "Delete", "Up", "Down", "Tab", "BTab", "Enter", "Escape"],
  ...["C-a", "C-e", "C-u", "C-w", "C-k", "M-b", "M-f", "M-d", "M-BSpace", "C-Left", "C-Right", "C-j"],
];
const anyKey = fc.oneof(
  fc.constantFrom(...NAMES).map(key),
  fc.string({ unit: "grapheme", maxLength: 5 }).map(text),
  fc.constantFrom("👨‍👩‍👧", "e\u0301", "漢", " ", "\n", "word", "…").map(text),
);

describe("the bar under any keys", () => {
  it("keeps its cursor between two characters and its text whole", () => {
    fc.assert(
      fc.property(fc.array(anyKey, { maxLength: 60 }), (keys) => {
        let bar = EMPTY_BAR;
        for (const one of keys) {
          const answer = pressInBar(bar, one);
          bar = answer.kind === "submit" ? emptied(answer.bar) : answer.bar;
          assert.isAtLeast(bar.at, 0);
          assert.isAtMost(bar.at, bar.text.length);
          assert((bar.text.slice(0, bar.at) + bar.text.slice(bar.at)).isWellFormed());
          assert(bar.text.slice(0, bar.at).isWellFormed());
          assert.notMatch(bar.text, /[\0-\x08\x0b-\x1f\x7f-\x9f]/);
          assert.isAtMost(bar.recalled, bar.said.length);
          assert(BAR_PRIORITIES.includes(bar.priority));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("undoes a typed character with one Backspace, and comes back from any move with Left and Right", () => {
    const unit = fc.constantFrom("a", "漢", "👍", "é", "ß", " ");
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 10 }), fc.nat(10), unit, (units, moves, typed) => {
        const start = press(
          EMPTY_BAR,
          ...units.map(text),
          ...Array.from({ length: Math.min(moves, units.length) }, () => key("Left")),
        );
        expect(press(start, text(typed), key("BSpace"))).toEqual(start);
        if (start.at < start.text.length) expect(press(start, key("Right"), key("Left"))).toEqual(start);
        expect(press(start, text(typed), key("Left"), key("Delete"))).toEqual(start);
      }),
      { numRuns: 500 },
    );
  });

  it("never loses what was said or begun: it stands in the bar, or Up finds it", () => {
    const word = fc.stringMatching(/^[a-z]{3,8}$/);
    const move = fc.constantFrom("Up", "Down", "Left", "Home").map(key);
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 6 }),
        fc.array(move),
        word,
        (said, moves, begun) => {
          const spoken = said.reduce((bar, one) => emptied(press(bar, text(one))), EMPTY_BAR);
          const moved = press(press(spoken, text(begun)), ...moves);
          const found = [moved.text, ...[...moved.said, moved.draft]];
          for (const one of [...said, begun]) expect(found).toContain(one);
        },
      ),
      { numRuns: 300 },
    );
  });
});
