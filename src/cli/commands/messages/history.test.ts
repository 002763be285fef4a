import { describe, expect, it } from "vitest";
import { perform } from "../../../../tests/cli/command-stage.ts";
import type { HistoryEntry } from "../../../wire/shapes/messages.ts";
import { REQUEST_LIMITS } from "../../../wire/verbs/fields.ts";
import { MOST_ENTRIES } from "../../arguments/given-count.ts";

const HOUR = 3_600_000;
const NOW = new Date(2026, 11, 21, 13, 30).getTime();

const entry = (shortId: string, body: string, agoMs: number): HistoryEntry => ({
  message: {
    id: `11111111-2222-4333-8444-5555555${shortId.slice(0, 5)}`,
    shortId,
    from: "person/dev",
    to: "agent/coder",
    body,
    priority: "normal",
    source: "person",
    createdAt: NOW - agoMs,
    file: "/f",
  },
  delivery: {
    id: "d",
    to: "agent/coder",
    state: "delivered",
    attempts: 1,
    queuedAt: NOW - agoMs,
  },
});
const newestFirst = [
  entry("bbbbbb", "second \x1b[31m\nline", HOUR),
  entry("aaaaaa", "x".repeat(900), 24 * HOUR),
];

const history = (words: readonly string[], entries = newestFirst, columns = 0) =>
  perform(["history", ...words], { now: NOW, columns, answers: { history: async () => ({ entries }) } });
const asked = async (...words: readonly string[]) => (await history(words)).asked[0]?.request;

describe("bellhop history", () => {
  it("shows the newest last", async () => {
    const lines = (await history([])).stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^SENT +ID +FROM +TO +STATE +TEXT$/);
    expect(lines[1]).toMatch(/^2026-12-20 13:30 +#aaaaaa +person\/dev +agent\/coder +delivered +x{80}$/);
    expect(lines[2]).toMatch(
      /^2026-12-21 12:30 +#bbbbbb +person\/dev +agent\/coder +delivered +second {2}line$/,
    );
  });

  it("fits a terminal of 100 columns", async () => {
    const { stdout } = await history([], newestFirst, 100);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  it("gives scripts the entries as they come", async () => {
    expect(JSON.parse((await history(["--json"])).stdout)).toEqual(newestFirst);
    expect((await history(["--json"], [])).stdout).toBe("[]\n");
    expect((await history([], [])).stdout).toBe("Nothing was sent in that time.\n");
  });

  it("asks for a person, a number and a time", async () => {
    expect(await asked()).toEqual({});
    expect(await asked("coder", "--limit", "5")).toEqual({ who: "coder", limit: 5 });
    expect(await asked("--from", "2h", "--to", "30m")).toEqual({
      fromTime: NOW - 2 * HOUR,
      toTime: NOW - HOUR / 2,
    });
    expect(await asked("--from", "09:00", "--to", "13:30")).toEqual({
      fromTime: new Date(2026, 11, 21, 9).getTime(),
      toTime: NOW,
    });
    expect(await asked("--from", "12:00", "--to", "15:00")).toEqual({
      fromTime: new Date(2026, 11, 21, 12).getTime(),
      toTime: new Date(2026, 11, 21, 15).getTime(),
    });
    expect(await asked("--from", "22:00", "--to", "08:00")).toEqual({
      fromTime: new Date(2026, 11, 20, 22).getTime(),
      toTime: new Date(2026, 11, 21, 8).getTime(),
    });
    expect(await asked("--to", "15:00")).toEqual({ toTime: new Date(2026, 11, 20, 15).getTime() });
    expect(await asked("--from", "14:00")).toEqual({ fromTime: new Date(2026, 11, 20, 14).getTime() });
    expect(await asked("--from", "2026-12-01")).toEqual({ fromTime: new Date(2026, 11, 1).getTime() });
    expect(await asked("--from", "1960-01-01")).toEqual({ fromTime: 0 });
    expect(await asked("--limit", String(MOST_ENTRIES))).toEqual({ limit: MOST_ENTRIES });
  });

  it("asks for no more than a door gives", () => {
    expect(MOST_ENTRIES).toBe(REQUEST_LIMITS.historyEntries);
  });

  it.each<[string, readonly string[], RegExp]>([
    ["no number", ["--limit", "many"], /"many" is not a number of messages/],
    ["none", ["--limit", "0"], /"0" is not a number/],
    ["too many", ["--limit", String(MOST_ENTRIES + 1)], /is not a number/],
    ["half", ["--limit", "1.5"], /is not a number/],
    ["a minus", ["--limit=-1"], /is not a number/],
    ["an exponent", ["--limit", "1e2"], /is not a number/],
    ["no time", ["--from", "yesterday"], /"yesterday" is not a time for --from/],
    ["an impossible date", ["--to", "2026-02-30"], /There is no 2026-02-30/],
    ["a period that ends before it begins", ["--from", "1h", "--to", "2h"], /--from .* is not before --to/],
    ["dates in the wrong order", ["--from", "2026-12-02", "--to", "2026-12-01"], /is not before/],
    ["an empty period", ["--from", "1h", "--to", "1h"], /is not before/],
    ["two agents", ["coder", "reviewer"], /at most 1 word/],
  ])("refuses %s, and asks nothing of the daemon", async (_, words, message) => {
    const refused = await history(words);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toMatch(message);
    expect(refused.stdout).toBe("");
    expect(refused.asked).toEqual([]);
  });
});
