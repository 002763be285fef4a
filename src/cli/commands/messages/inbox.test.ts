import { describe, expect, it } from "vitest";
import { perform } from "../../../../tests/cli/command-stage.ts";
import { BellhopError } from "../../../core/errors.ts";
import type { HistoryEntry } from "../../../wire/shapes/messages.ts";

const NOW = 1_794_713_898_927;
const entry = (shortId: string, body: string, agoMs: number): HistoryEntry => ({
  message: {
    id: `11111111-2222-4333-8444-5555555${shortId.slice(0, 5)}`,
    shortId,
    from: "agent/api",
    to: "person/dev",
    body,
    priority: "normal",
    source: "agent",
    createdAt: NOW - agoMs,
    file: "/f",
  },
  delivery: { id: "d", to: "person/dev", state: "queued", attempts: 0, queuedAt: NOW - agoMs },
});
const oldestFirst = [
  entry("aaaaaa", "x".repeat(900), 3_600_000),
  entry("bbbbbb", "two\n\x1b[31mlines", 5_000),
];

const inbox = (words: readonly string[], entries = oldestFirst, columns = 0) =>
  perform(["inbox", ...words], {
    now: NOW,
    columns,
    answers: { inbox: async ({ who = "person/dev" }) => ({ who, entries }) },
  });

describe("bellhop inbox", () => {
  it("lists what waits, oldest first", async () => {
    const { stdout, asked } = await inbox([]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^ID +FROM +TO +SINCE +TEXT$/);
    expect(lines[1]).toMatch(/^#aaaaaa +agent\/api +person\/dev +1h +x{80}$/);
    expect(lines[2]).toMatch(/^#bbbbbb +agent\/api +person\/dev +5s +two lines$/);
    expect(asked).toEqual([{ verb: "inbox", request: { claims: { user: "dev" } } }]);
  });

  it("names the mailbox where there are several", async () => {
    const [first = entry("aaaaaa", "x", 1), second = first] = oldestFirst;
    const copy = { ...second, delivery: { ...second.delivery, to: "session/08bc57cf" } };
    const lines = (await inbox([], [first, copy])).stdout.split("\n");
    expect(lines[0]).toMatch(/^ID +FROM +TO +MAILBOX +SINCE +TEXT$/);
    expect(lines[2]).toMatch(/^#bbbbbb +agent\/api +person\/dev +session\/08bc57cf +5s +two lines$/);
  });

  it("fits a terminal of 100 columns", async () => {
    const { stdout } = await inbox([], oldestFirst, 100);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  it("prints whole texts when they are taken", async () => {
    const { stdout, asked } = await inbox(["--take", "--limit", "2"]);
    expect(stdout).toBe(
      `#aaaaaa from agent/api, 1h ago\n${"x".repeat(900)}\n\n#bbbbbb from agent/api, 5s ago\ntwo\nlines\n`,
    );
    expect(asked[0]?.request).toEqual({ take: true, limit: 2, claims: { user: "dev" } });
  });

  it("takes few at a time, until there is nothing more or enough", async () => {
    const take = (waiting: number, ...words: readonly string[]) => {
      let left = waiting;
      return perform(["inbox", "--take", "--json", ...words], {
        answers: {
          inbox: async ({ limit = 0 }) => {
            const taken = Math.min(limit, left);
            left -= taken;
            return {
              who: "person/dev",
              entries: Array.from({ length: taken }, () => entry("aaaaaa", "x", 1)),
            };
          },
        },
      });
    };
    const limits = ({ asked }: Awaited<ReturnType<typeof take>>) =>
      asked.map(({ request }) => (request as { limit: number }).limit);
    const all = await take(25);
    expect(JSON.parse(all.stdout)).toHaveLength(25);
    expect(limits(all)).toEqual([10, 10, 10]);
    const some = await take(25, "--limit", "12");
    expect(JSON.parse(some.stdout)).toHaveLength(12);
    expect(limits(some)).toEqual([10, 2]);
    expect(limits(await take(20))).toEqual([10, 10, 10]);
    expect(limits(await take(2_000))).toHaveLength(100);
  });

  it("shows what it took before the daemon went", async () => {
    let asked = 0;
    const { status, stdout } = await perform(["inbox", "--take", "--json"], {
      answers: {
        inbox: async ({ limit = 0 }) => {
          asked += 1;
          if (asked > 1) throw new BellhopError("daemon.unreachable", { message: "Gone.", next: "Look." });
          return { who: "person/dev", entries: Array.from({ length: limit }, () => entry("aaaaaa", "x", 1)) };
        },
      },
    });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(10);
  });

  it("looks into another's, and gives scripts the entries", async () => {
    const { stdout, asked } = await inbox(["reviewer", "--json"]);
    expect(asked[0]?.request).toMatchObject({ who: "reviewer" });
    expect(JSON.parse(stdout)).toEqual(oldestFirst);
    expect((await inbox(["--json"], [])).stdout).toBe("[]\n");
  });

  it("says that nothing waits, and for whom", async () => {
    expect((await inbox([], [])).stdout).toBe("Nothing waits for person/dev.\n");
    expect((await inbox(["a\x1b[2J"], [])).stdout).toBe("Nothing waits for a.\n");
  });

  it.each([["--limit", "0"], ["--limit", "1001"], ["--limit", "many"], ["--limit=-1"]])(
    "refuses %s %s",
    async (...words) => {
      const { status, stderr, asked } = await inbox(words);
      expect(status).toBe(2);
      expect(stderr).toContain("from 1 to 1000");
      expect(asked).toEqual([]);
    },
  );
});
