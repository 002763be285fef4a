import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Sender } from "./prompt.ts";
import { composeForPaste } from "./prompt.ts";
import { carriedBy, carriedByTurn, essence } from "./whole-prompt.ts";

/** The digest of a text is the text: only equality counts. */
const digest = (text: string): string => text;
const LIMITS = { maxCharacters: 790, maxNewlines: 2, newlines: true };

const sender: fc.Arbitrary<Sender> = fc.oneof(
  fc.constant<Sender>({ kind: "person", name: "dev", outside: false }),
  fc.constant<Sender>({ kind: "agent", name: "api", sessionId: "08bc57cf", headline: "tests" }),
  fc.constant<Sender>({ kind: "guest", name: "slack/team/@U7" }),
  fc.constant<Sender>({ kind: "bellhop" }),
);
const item = fc.record({
  shortId: fc.stringMatching(/^[a-z0-9]{6}$/),
  body: fc.string({ unit: "grapheme", maxLength: 400 }),
  sender,
  file: fc.constant("/home/dev/.bellhop/messages/coder/1-abcdef12.md"),
  isQuestion: fc.boolean(),
});
/** One message, or a batch by reference. */
const prompt = fc
  .uniqueArray(item, { minLength: 1, maxLength: 3, selector: ({ shortId }) => shortId })
  .map((items) => composeForPaste(items, LIMITS, "/home/dev/.bellhop/messages/coder/2-batch.md"));

const attemptOf = ({ text, token }: { readonly text: string; readonly token: string }) => ({
  transport: "paste" as const,
  token,
  promptDigest: digest(text),
  composerDigest: digest(essence(text)),
  wasBusy: false,
});

/** A person's text with something visible, not ending in our defusing mark. */
const words = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
  .filter((text) => essence(text) !== "" && !text.endsWith("> "));

/** What programs do to a text on its way. */
const changed = (text: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    text,
    `${text}  `,
    `${text}\n`,
    ` ${text}`,
    text.trimEnd(),
    text.replaceAll("\t", "    "),
    text.replaceAll("\n", "\u2028"),
    text.replaceAll("\n", "\r\n"),
    text.replaceAll("\n", " "),
    text.replace(/[\u200b-\u200f\u2060\ufeff]/gu, ""),
    text.normalize("NFC"),
  );

describe("a submitted prompt", () => {
  it("is ours alone, whatever programs do to white space and to what cannot be seen", () => {
    fc.assert(
      fc.property(
        prompt.chain((ours) => fc.tuple(fc.constant(ours), changed(ours.text))),
        ([ours, arrived]) => {
          expect(carriedBy(arrived, attemptOf(ours), digest)).toBe("alone");
        },
      ),
    );
  });

  it("is known by what was written down of it, whatever we would compose now", () => {
    const before = "[message from: dev #m7k2q9] is it green?";
    const old = attemptOf({ text: before, token: "#m7k2q9]" });
    expect(carriedBy(before, old, digest)).toBe("alone");
    const asked = { shortId: "m7k2q9", body: "is it green?", file: "/x.md", isQuestion: true } as const;
    const now = composeForPaste(
      [{ ...asked, sender: { kind: "person", name: "dev", outside: false } }],
      LIMITS,
    );
    expect(carriedBy(now.text, attemptOf(now), digest)).toBe("alone");
    expect(carriedBy(now.text, old, digest)).toBe("mixed");
  });

  it.each([
    ["before it", (ours: string, theirs: string) => theirs + ours],
    ["in a line before it", (ours: string, theirs: string) => `${theirs}\n${ours}`],
    ["behind it", (ours: string, theirs: string) => ours + theirs],
    ["in a line behind it", (ours: string, theirs: string) => `${ours}\n${theirs}`],
    ["on both sides", (ours: string, theirs: string) => theirs + ours + theirs],
  ])("is mixed with any other text %s, never alone", (_, glue) => {
    fc.assert(
      fc.property(prompt, words, (ours, theirs) => {
        expect(carriedBy(glue(ours.text, theirs), attemptOf(ours), digest)).toBe("mixed");
      }),
    );
  });

  it("of other text says nothing of ours, also where a defused quotation stands in it", () => {
    fc.assert(
      fc.property(prompt, words, (ours, theirs) => {
        expect(carriedBy(theirs, attemptOf(ours), digest)).toBe("absent");
        expect(carriedBy(`${theirs} > ${ours.text}`, attemptOf(ours), digest)).toBe("absent");
      }),
    );
  });

  it("that came through an inbox may be wrapped in the program's own words", () => {
    const ours = "[message from: api #m7k2q9]\nhello";
    const native = { transport: "native", token: "#m7k2q9]", promptDigest: ours } as const;
    const wrapped = `Another Claude session sent a message:\n${ours}\n\nThis was not typed by your user.`;
    expect(carriedBy(wrapped, native, digest)).toBe("alone");
  });

  it("of an attempt from before its essence was written down is known by its header", () => {
    const { composerDigest: _, ...older } = attemptOf({
      text: "[message from: dev #m7k2q9] hi",
      token: "#m7k2q9]",
    });
    expect(carriedBy("[message from: dev #m7k2q9] hi!", older, digest)).toBe("alone");
    expect(carriedBy("idea[message from: dev #m7k2q9] hi", older, digest)).toBe("absent");
  });
});

describe("a turn in a session file", () => {
  const ours = { text: "[message from: dev #m7k2q9] hi", token: "#m7k2q9]" };
  const busy = { ...attemptOf(ours), wasBusy: true };

  it("that a busy program made of its queue has ours whole where it opens a line", () => {
    expect(carriedByTurn(`another\n${ours.text}`, busy, digest)).toBe("alone");
    expect(carriedByTurn(`another\n${ours.text}`, attemptOf(ours), digest)).toBe("mixed");
    expect(carriedByTurn(`idea${ours.text}`, busy, digest)).toBe("mixed");
  });
});
