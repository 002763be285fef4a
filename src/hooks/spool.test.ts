import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HOOKED_PROGRAMS } from "../programs/index.ts";
import { readSpool, SPOOL_LIMITS } from "./spool.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-spool-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function put(name: string, content: unknown): void {
  writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
}

function event(emittedAt: number | undefined, payload: unknown = null): object {
  const at = emittedAt === undefined ? {} : { emitted_at: emittedAt };
  return { program: "claude", event_name: "Stop", ...at, environment: { TMUX_PANE: "%0" }, payload };
}

describe("readSpool", () => {
  it("has nothing where there is no spool", async () => {
    expect((await readSpool(join(folder, "absent"), HOOKED_PROGRAMS)).events).toEqual([]);
  });

  it("gives the events in the order in which they happened", async () => {
    put("1700000000300-9.json", event(1700000000300));
    put("1700000000100-12.json", event(1700000000100));
    put("1700000000200-8.json", event(1700000000200));
    const { events } = await readSpool(folder, HOOKED_PROGRAMS);
    expect(events.map(({ emittedAt }) => emittedAt % 1000)).toEqual([100, 200, 300]);
    expect(events[0]).toEqual({
      program: "claude",
      eventName: "Stop",
      emittedAt: 1700000000100,
      environment: { TMUX_PANE: "%0" },
      payload: null,
    });
  });

  it("does not touch names inside a payload", async () => {
    put("1-1.json", event(1, { some_key: { camelKey: 1 } }));
    expect((await readSpool(folder, HOOKED_PROGRAMS)).events[0]?.payload).toEqual({
      some_key: { camelKey: 1 },
    });
  });

  it("takes the file's time for an event without one", async () => {
    put("1700000000-1.json", event(undefined));
    utimesSync(join(folder, "1700000000-1.json"), 1700000000.5, 1700000000.5);
    expect((await readSpool(folder, HOOKED_PROGRAMS)).events[0]?.emittedAt).toBe(1700000000500);
  });

  it("keeps every file until the events are recorded, then removes exactly those", async () => {
    put("1-1.json", event(1));
    const spool = await readSpool(folder, HOOKED_PROGRAMS);
    put("2-2.json", event(2));
    expect(readdirSync(folder)).toHaveLength(2);
    await spool.forget();
    expect(readdirSync(folder)).toEqual(["2-2.json"]);
    await spool.forget();
  });

  it("steps over what is no event", async () => {
    put("1-1.json", '{"program":"claude","eve');
    put("2-1.json", "[]");
    put("3-1.json", { ...event(3), program: "vim" });
    put("4-1.json", { ...event(4), surprise: 1 });
    put("5-1.json", "[".repeat(100_000));
    put("6-1.json", Buffer.from([0xff, 0xfe]).toString("latin1"));
    put("7-1.json", event(7));
    const spool = await readSpool(folder, HOOKED_PROGRAMS);
    expect(spool.events).toHaveLength(1);
    expect(spool.unreadable).toHaveLength(6);
    await spool.forget();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("follows no link, opens no pipe and reads no folder", async () => {
    const secret = join(folder, "secret.txt");
    writeFileSync(secret, JSON.stringify(event(1)));
    symlinkSync(secret, join(folder, "1-1.json"));
    mkdirSync(join(folder, "2-1.json"));
    execFileSync("mkfifo", [join(folder, "3-1.json")]);
    const spool = await readSpool(folder, HOOKED_PROGRAMS);
    expect(spool.events).toEqual([]);
    await spool.forget();
    expect(readdirSync(folder)).toEqual(["2-1.json", "secret.txt"]);
  });

  it("leaves a file in the making alone, and clears it away when it is old", async () => {
    const now = 1700000100000;
    put("1700000099000-1.part", "{");
    put("1700000000000-1.part", "{");
    put("1700000000-1.part", "{");
    const spool = await readSpool(folder, HOOKED_PROGRAMS, SPOOL_LIMITS, () => now);
    await spool.forget();
    expect(readdirSync(folder)).toEqual(["1700000099000-1.part"]);
  });

  it("takes at most so many events at a time, oldest first", async () => {
    for (const at of [1, 2, 3]) put(`${at}-1.json`, event(at));
    const limits = { ...SPOOL_LIMITS, events: 2 };
    const first = await readSpool(folder, HOOKED_PROGRAMS, limits);
    expect(first).toMatchObject({ more: true, events: [{ emittedAt: 1 }, { emittedAt: 2 }] });
    await first.forget();
    expect(await readSpool(folder, HOOKED_PROGRAMS, limits)).toMatchObject({
      more: false,
      events: [{ emittedAt: 3 }],
    });
  });

  it("takes at most so many bytes at a time and in one file", async () => {
    for (const at of [1, 2, 3]) put(`${at}-1.json`, event(at, "x".repeat(1000)));
    const limits = { ...SPOOL_LIMITS, totalBytes: 1500 };
    expect(await readSpool(folder, HOOKED_PROGRAMS, limits)).toMatchObject({ more: true, events: [{}, {}] });
    const small = await readSpool(folder, HOOKED_PROGRAMS, { ...SPOOL_LIMITS, fileBytes: 1000 });
    expect(small.events).toEqual([]);
    expect(small.unreadable).toHaveLength(3);
  });
});
