import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Block } from "../control/control.ts";
import { ANNOUNCEMENT_LIMITS, announceCommands, readAnnounced, readViewers } from "./announcement.ts";

const block = (...lines: string[]): Block => ({ ok: true, lines });
const answered = (...blocks: Block[]) => ({ kind: "answered", blocks }) as const;
const late = { kind: "late", cause: "no answer" } as const;

describe("who looks at a pane", () => {
  it("is every client that shows its window and is no program", () => {
    const rows = block("0/@3//dev/pts/1", "1/@3/client-7", "0/@33//dev/pts/2", "0/@3//dev/pts/3", "//");
    expect(readViewers(answered(block("@3"), rows))).toEqual({
      kind: "viewers",
      clients: ["/dev/pts/1", "/dev/pts/3"],
    });
  });

  it("is nobody when the pane is gone", () => {
    expect(readViewers(answered(block(""), block("0/@3//dev/pts/1")))).toEqual({ kind: "gone" });
  });

  it("is unknown when tmux does not say", () => {
    expect(readViewers(late)).toEqual({ kind: "unknown", cause: "no answer" });
    expect(readViewers(answered({ ok: false, lines: ["no server"] }))).toEqual({
      kind: "unknown",
      cause: "no server",
    });
    for (const blocks of [[], [block("@3")], [block("x3"), block()]])
      expect(readViewers(answered(...blocks))).toMatchObject({ kind: "unknown" });
  });

  it("is told up to a limit", () => {
    const rows = Array.from(
      { length: ANNOUNCEMENT_LIMITS.viewers + 1 },
      (_, index) => `0/@3//dev/pts/${index}`,
    );
    const viewers = readViewers(answered(block("@3"), block(...rows)));
    expect(viewers.kind === "viewers" && viewers.clients).toHaveLength(ANNOUNCEMENT_LIMITS.viewers);
  });
});

describe("an announcement", () => {
  it("names each client, does not swallow keys, and ends by itself", () => {
    expect(announceCommands(["/dev/pts/1", "/dev/pts/2"], "back")).toBe(
      'display-message -d 4000 -c "/dev/pts/1" -- "back" ; display-message -d 4000 -c "/dev/pts/2" -- "back"',
    );
  });

  it("is cut at its longest, between characters", () => {
    const most = ANNOUNCEMENT_LIMITS.characters;
    expect(announceCommands(["c"], "👩".repeat(most))).toContain(`"${"👩".repeat(most)}"`);
    expect(announceCommands(["c"], "👩".repeat(most + 1))).toContain(`"${"👩".repeat(most)}"`);
  });

  it("is one command on one line, whatever it says", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const commands = announceCommands(["c"], text);
        expect(commands).toMatch(/^display-message -d \d+ -c "c" -- "[^"$~;'\n\r]*"$/);
        // It contains nothing that tmux would expand as a format or a time.
        const line = commands.slice(commands.indexOf(" -- ") + 4);
        expect(line.replaceAll("##", "").replaceAll("%%", "")).not.toMatch(/[#%]/);
      }),
    );
  });

  it("was shown only when tmux says so", () => {
    expect(readAnnounced(answered(block(), block()), ["a", "b"])).toEqual({ kind: "shown", to: 2 });
    expect(readAnnounced(late, ["a"])).toEqual({ kind: "unknown", cause: "no answer" });
    expect(readAnnounced(answered({ ok: false, lines: ["bad"] }), ["a"])).toEqual({
      kind: "unknown",
      cause: "bad",
    });
  });
});
