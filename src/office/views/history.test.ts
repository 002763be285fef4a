import { describe, expect, it } from "vitest";
import {
  deskWith,
  OWNER,
  receive,
  route,
  sessionAddressOf,
  subscribe,
} from "../../../tests/desk/broker-verbs.ts";
import type { Desk } from "../../../tests/desk/desk.ts";
import type { ExportedEntry } from "../../wire/shapes/messages.ts";
import type { RequestOf } from "../../wire/verbs/index.ts";
import { MOST_RECEIVED_BYTES } from "../broker/mailboxes.ts";

/** Page by page to the end; `between` may change things between two pages. */
async function exported(
  desk: Desk,
  request: RequestOf<"export">,
  between: () => Promise<unknown> = async () => {},
): Promise<readonly ExportedEntry[]> {
  const all: ExportedEntry[] = [];
  let after: number | undefined;
  do {
    const page = await desk.use.export({ ...request, ...(after === undefined ? {} : { after }) });
    expect(page.entries.length).toBeLessThanOrEqual(request.limit ?? 500);
    all.push(...page.entries);
    after = page.next;
    await between();
  } while (after !== undefined);
  return all;
}

const texts = (entries: readonly ExportedEntry[]) => entries.map(({ message }) => message.body);

async function say(desk: Desk, path: string, count: number, first = 0): Promise<readonly string[]> {
  const bodies = Array.from({ length: count }, (_, at) => `${first + at}`);
  await desk.done(Promise.all(bodies.map((body) => desk.use.route({ path, body, claims: OWNER }))));
  return bodies;
}

describe("exporting dead letters", () => {
  it.each([1, 7, 25, 26, 500])("gives each once, oldest first, in pages of %i", async (limit) => {
    const desk = await deskWith();
    const bodies = await say(desk, "x/y", 25);
    const entries = await exported(desk, { unmatched: true, limit });
    expect(texts(entries)).toEqual(bodies);
    expect(entries[0]).toMatchObject({ reason: "nobody subscribes to this path" });
    expect(entries[0]).not.toHaveProperty("delivery");
  });

  it("misses none and repeats none while new ones come and old ones go", async () => {
    const desk = await deskWith("a");
    await say(desk, "x/y", 10);
    await say(desk, "z/y", 10, 10);
    let more = 20;
    const entries = await exported(desk, { unmatched: true, limit: 3 }, async () => {
      if (more === 22) {
        await subscribe(desk, "a", "x/*");
        await desk.use.unmatched_reroute({});
      }
      if (more < 25) await say(desk, "z/y", 1, more);
      more += 1;
    });
    const numbers = texts(entries).map(Number);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
    // Every message that stayed a dead letter throughout is included.
    expect(numbers.filter((number) => number >= 10)).toEqual(Array.from({ length: 15 }, (_, at) => at + 10));
  });

  it("reads one page from the store, however many there are", async () => {
    const desk = await deskWith();
    await say(desk, "x/y", 30);
    const { read } = desk.store;
    const asked: number[] = [];
    const spied = read as { unmatchedAfter: typeof read.unmatchedAfter; unmatched: typeof read.unmatched };
    const { unmatchedAfter } = read;
    spied.unmatchedAfter = (after, limit) => {
      asked.push(limit);
      return unmatchedAfter(after, limit);
    };
    spied.unmatched = () => {
      throw new Error("reads them from the wrong end");
    };
    await desk.use.export({ unmatched: true, after: 0, limit: 5 });
    expect(asked).toEqual([5]);
  });

  it("ends at once where there are none", async () => {
    const desk = await deskWith();
    expect(await desk.use.export({ unmatched: true })).toEqual({ entries: [] });
    await say(desk, "x/y", 3);
    expect(await desk.use.export({ unmatched: true, after: 1_000_000 })).toEqual({ entries: [] });
  });
});

describe("a page of an export", () => {
  it.each([
    ["dead letters", "x/y", { unmatched: true }],
    ["a history", "agent/a", { who: "a" }],
  ])("of %s is no longer than one answer may be, and none is missing", async (_, path, request) => {
    const desk = await deskWith("a");
    const bodies = Array.from({ length: 30 }, (_, at) => `${at} ${"x".repeat(100_000)}`);
    await desk.done(Promise.all(bodies.map((body) => desk.use.route({ path, body, claims: OWNER }))));
    const { entries, next } = await desk.use.export(request);
    expect(JSON.stringify(entries).length).toBeLessThan(MOST_RECEIVED_BYTES);
    expect(next).toBeDefined();
    expect(texts(await exported(desk, request))).toEqual(bodies);
  });
});

describe("exporting a history", () => {
  it("gives an agent's with its sessions', in every state, in order of acceptance", async () => {
    const desk = await deskWith("a", "b");
    await subscribe(desk, "a:monitor", "x/*");
    await route(desk, "agent/a", { body: "one" });
    await route(desk, "agent/b", { body: "not mine" });
    await receive(desk, "a");
    await route(desk, "x/1", { body: "two" });
    const entries = await exported(desk, { who: "a", limit: 2 });
    const session = sessionAddressOf(desk, "a:monitor");
    expect(entries.map(({ message, delivery }) => [message.body, delivery?.to, delivery?.state])).toEqual([
      ["one", "agent/a", "delivered"],
      ["two", session, "queued"],
      ["two", "agent/a", "queued"],
    ]);
    expect(entries[0]?.delivery?.receipts.map(({ state }) => state)).toEqual(["queued", "delivered"]);
  });

  it("gives everybody's, and a session's alone", async () => {
    const desk = await deskWith("a", "b");
    await subscribe(desk, "a:monitor", "x/*");
    await route(desk, "agent/a", { body: "one" });
    await route(desk, "agent/b", { body: "two" });
    await route(desk, "x/1", { body: "three" });
    const who = sessionAddressOf(desk, "a:monitor");
    expect(texts(await exported(desk, { limit: 1 }))).toEqual(["one", "two", "three", "three"]);
    expect(texts(await exported(desk, { who }))).toEqual(["three"]);
    await expect(desk.use.export({ who: "nobody" })).rejects.toMatchObject({ code: "recipient.unknown" });
  });

  it("misses none while new ones come", async () => {
    const desk = await deskWith("a");
    await say(desk, "agent/a", 10);
    let more = 10;
    const entries = await exported(desk, { who: "a", limit: 4 }, async () => {
      if (more < 15) await say(desk, "agent/a", 1, more);
      more += 1;
    });
    const numbers = texts(entries).map(Number);
    expect(numbers).toEqual(numbers.map((_, at) => at));
    expect(numbers.length).toBeGreaterThanOrEqual(12);
  });
});
