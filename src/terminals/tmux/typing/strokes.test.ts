import { describe, expect, it } from "vitest";
import { isKeyName } from "../../../core/text/key-names.ts";
import { STROKE_LIMITS } from "../../stroke-limits.ts";
import { INLINE_BYTES, planStrokes } from "./strokes.ts";

const place = { pane: "%4", name: "bellhop-n", folder: "/home/dev/.bellhop/run" };
const plan = (...strokes: Parameters<typeof planStrokes>[0]) => planStrokes(strokes, place);
const paste = (text: string, bracketed = false) => ({ kind: "paste", text, bracketed }) as const;

describe("strokes as tmux commands", () => {
  it("keep their order, with a buffer of its own for each paste", () => {
    expect(
      plan(
        { kind: "bytes", bytes: [0x1b, 0x5b, 0x37] },
        paste("one"),
        { kind: "key", name: "C-u" },
        paste("two", true),
        { kind: "key", name: "Enter" },
      ),
    ).toEqual({
      prepare: ['set-buffer -b bellhop-n-1 -- "one"', 'set-buffer -b bellhop-n-3 -- "two"'],
      type: [
        "send-keys -t %4 -H 1b 5b 37",
        "paste-buffer -r -d -b bellhop-n-1 -t %4",
        'send-keys -t %4 -- "C-u"',
        "paste-buffer -r -p -d -b bellhop-n-3 -t %4",
        "send-keys -t %4 -H 0d",
      ],
      buffers: ["bellhop-n-1", "bellhop-n-3"],
      files: [],
    });
  });

  it("send long text, and text tmux cannot hold in a command, through a file", () => {
    expect(plan(paste("x".repeat(INLINE_BYTES))).files).toEqual([]);
    const long = "x".repeat(INLINE_BYTES + 1);
    const through = plan(paste(long), paste("a\0b"));
    expect(through.files).toEqual([
      { path: "/home/dev/.bellhop/run/bellhop-n-0", text: long },
      { path: "/home/dev/.bellhop/run/bellhop-n-1", text: "a\0b" },
    ]);
    expect(through.prepare[0]).toBe('load-buffer -b bellhop-n-0 "/home/dev/.bellhop/run/bellhop-n-0"');
  });

  it("leave out what is empty", () => {
    expect(plan(paste(""), { kind: "bytes", bytes: [] })).toEqual({
      prepare: [],
      type: [],
      buffers: [],
      files: [],
    });
  });

  it("are refused past their maxima", () => {
    const key = { kind: "key", name: "Up" } as const;
    expect(() =>
      planStrokes(
        Array.from({ length: STROKE_LIMITS.strokes }, () => key),
        place,
      ),
    ).not.toThrow();
    expect(() =>
      planStrokes(
        Array.from({ length: STROKE_LIMITS.strokes + 1 }, () => key),
        place,
      ),
    ).toThrow("65 keystrokes");
    expect(() => plan(paste("x".repeat(STROKE_LIMITS.pasteBytes)))).not.toThrow();
    expect(() => plan(paste("x".repeat(STROKE_LIMITS.pasteBytes + 1)))).toThrow("A paste of");
    const bytes = Array.from({ length: STROKE_LIMITS.bytes + 1 }, () => 1);
    expect(() => plan({ kind: "bytes", bytes: bytes.slice(1) })).not.toThrow();
    expect(() => plan({ kind: "bytes", bytes })).toThrow("raw bytes");
  });

  it("refuse what is no byte and no key", () => {
    expect(() => plan({ kind: "bytes", bytes: [256] })).toThrow("256 is not a byte");
    expect(() => plan({ kind: "key", name: "Entr" })).toThrow('"Entr" is not the name of a key');
  });
});

describe("names of keys", () => {
  it.each(["Enter", "Escape", "C-u", "C-M-a", "S-Up", "BTab", "F12", "y", ";", "-", "C--", "~"])(
    "knows %s",
    (name) => {
      expect(isKeyName(name)).toBe(true);
    },
  );

  it.each(["", "Entr", "enter", "ab", "C-", "C-ab", "F13", "é", " ", "\n", "0x1b", "C-M-S-C-a"])(
    "refuses %j",
    (name) => {
      // tmux would type such a name letter by letter.
      expect(isKeyName(name)).toBe(false);
    },
  );
});
