import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ownWords } from "./own-words.ts";
import { withoutReplyPrefix } from "./phrases.ts";

const lines = (...parts: readonly string[]): string => parts.join("\n");
const _QUOTE = ["> The build is red.", ">", "> Shall I roll back?"];

describe("what a person forwards", () => {
  const FIELDS = [
    "From: Sam <sam@example.net>",
    "Date: Mon, Nov 16, 2026 at 9:00 AM",
    "Subject: Alarm",
    "To: <dana@example.org>",
  ];
  it.each<readonly [name: string, text: string]>([
    [
      "Gmail",
      lines(
        "Look:",
        "",
        "---------- Forwarded message ---------",
        ...FIELDS,
        "",
        "",
        "Disk is full.",
        "> df -h",
      ),
    ],
    [
      "Apple Mail",
      lines(
        "Look:",
        "",
        "Begin forwarded message:",
        "",
        ...FIELDS.map((line) => `> ${line}`),
        ">",
        "> Disk is full.",
        "> > df -h",
      ),
    ],
    [
      "Thunderbird in German",
      lines(
        "Look:",
        "",
        "-------- Weitergeleitete Nachricht --------",
        ...FIELDS,
        "",
        "Disk is full.",
        "> df -h",
      ),
    ],
  ])("stays, marked, without its fields: %s", (_, text) => {
    expect(ownWords(text)).toBe("Look:\n\n[forwarded]\nDisk is full.\n> df -h");
  });

  it("is told from an answer of Outlook by the subject", () => {
    const text = lines("Look:", "", "________________________________", ...FIELDS, "", "Disk is full.");
    expect(ownWords(text, { isForward: true })).toBe("Look:\n\n[forwarded]\nDisk is full.");
    expect(ownWords(text)).toBe("Look:");
  });

  it("stays also without a word of their own", () => {
    const text = lines("---------- Forwarded message ---------", ...FIELDS, "", "Disk is full.");
    expect(ownWords(text)).toBe("[forwarded]\nDisk is full.");
  });
});

describe("any text", () => {
  const LINE = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 30 }),
    fc.constantFrom(
      ...[
        "",
        "> quoted",
        "-- ",
        "--",
        "Sent from my iPhone",
        "From: a@b.c",
        "To: b@c.d",
        "Subject: x",
        "Date: y",
      ],
      ...[
        "On Mon, 16 Nov 2026 at 10:00, a <a@b.c> wrote:",
        "-----Original Message-----",
        "Begin forwarded message:",
      ],
      ...["________________________________", "On Mon 2026", "wrote:"],
    ),
  );

  it("is never reduced to nothing, and stripping never adds words", () => {
    fc.assert(
      fc.property(fc.array(LINE, { maxLength: 20 }), fc.boolean(), (all, isForward) => {
        const text = all.join("\n");
        const own = ownWords(text, { isForward });
        expect(own.trim() === "").toBe(text.trim() === "");
        for (const word of own.split(/\s+/u)) {
          if (word !== "[forwarded]") expect(text.includes(word)).toBe(true);
        }
      }),
    );
  });

  it("takes no time to speak of, however it is built", () => {
    const hostile = [
      "On ".repeat(60_000),
      "On 2026\n".repeat(19_000),
      `${">".repeat(100_000)}\n`,
      "From: x\nTo: y\n".repeat(9_000),
      " ".repeat(200_000),
      "\n".repeat(19_999),
      `On ${"2026 wrote ".repeat(20_000)}:`,
      "--\n".repeat(15_000),
      "________________________________\n\n".repeat(9_000),
    ];
    const started = process.cpuUsage();
    for (const text of hostile) ownWords(text);
    const { user } = process.cpuUsage(started);
    expect(user / 1_000).toBeLessThan(3_000);
  });
});

it.each([
  ["Re: Build", "Build"],
  ["AW: Re: Build", "Build"],
  ["RE[2]: Build", "Build"],
  ["Rewrite it", "Rewrite it"],
  ["回复：构建", "构建"],
])("a subject loses its marks of answers: %s", (subject, bare) => {
  expect(withoutReplyPrefix(subject)).toBe(bare);
});
