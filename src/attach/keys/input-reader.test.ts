import { describe, expect, it } from "vitest";
import { type Attachment, type Event, firstAttachment } from "../attachment-state.ts";
import { BAR_LIMITS } from "./bar.ts";
import { InputReader } from "./input-reader.ts";

const bar = firstAttachment("type", { viewers: 1, passthrough: null, exit: null, title: "" });

/** The events for these pieces of input. */
function heard(pieces: readonly string[], standing: Attachment = bar): readonly Event[] {
  const events: Event[] = [];
  const reader = new InputReader(
    { byte: 0x1c, name: "C-\\" },
    { standing: () => standing, happened: (event) => void events.push(event), after: () => {} },
  );
  for (const piece of pieces) reader.push(Buffer.from(piece));
  return events;
}

const text = (typed: string): Event => ({ kind: "key", key: { kind: "text", text: typed } });
const inPieces = (whole: string, size = 4_096) => whole.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
const pasted = (body: string) => inPieces(`\x1b[200~${body}\x1b[201~`);

describe("a paste for the bar", () => {
  it("is one text, in however many pieces it comes", () => {
    const body = "漢字 and\nmore ".repeat(1_000);
    expect(heard(pasted(body))).toEqual([text(body)]);
    expect(heard(["a", "\x1b[200~b", "c", "\x1b[20", "1~d"])).toEqual([text("a"), text("bc"), text("d")]);
  });

  it("is left out whole when no bar holds it, and the next one counts again", () => {
    const most = "x".repeat(BAR_LIMITS.bytes);
    expect(heard(pasted(most))).toEqual([text(most)]);
    expect(heard([...pasted(`${most}x`), ...pasted("next")])).toEqual([{ kind: "overlong" }, text("next")]);
    expect(heard(["\x1b[200~overlong\x1b[201~"])).toEqual([text("overlong")]);
  });

  it("is nothing where no bar is", () => {
    expect(heard(pasted("qqq"), { ...bar, mode: { at: "scrollback", back: "bar" } })).toEqual([]);
  });
});
