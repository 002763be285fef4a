import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Clock } from "../ports/clock.ts";
import { CONFIG_POLL_MS, type ConfigChange, configFingerprint, watchConfig } from "./watch.ts";

/** A clock that only the test moves. */
function handClock(): Clock & { advance(ms: number): void } {
  let now = 0;
  let due: { at: number; call: () => void }[] = [];
  return {
    now: () => now,
    monotonic: () => now,
    after(delayMs, call) {
      const entry = { at: now + delayMs, call };
      due.push(entry);
      return () => {
        due = due.filter((other) => other !== entry);
      };
    },
    advance(ms) {
      now += ms;
      const ready = due.filter(({ at }) => at <= now);
      due = due.filter(({ at }) => at > now);
      for (const { call } of ready) call();
    },
  };
}

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-watch-"));
  path = join(folder, "config.yaml");
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("watching config.yaml", () => {
  it("tells of a new file, a bad one, a replaced one and a removed one", () => {
    const clock = handClock();
    const changes: ConfigChange[] = [];
    const watching = watchConfig(path, configFingerprint(path), (change) => changes.push(change), clock);
    const last = () => {
      clock.advance(CONFIG_POLL_MS);
      return changes.at(-1);
    };
    expect(last()).toBeUndefined();
    writeFileSync(path, "http: { port: 4000 }\n");
    expect(last()).toMatchObject({ kind: "changed", config: { values: { http: { port: 4000 } } } });
    writeFileSync(path, "http: { port: nonsense }\n");
    expect(last()).toMatchObject({ kind: "rejected", error: { code: "config.invalid" } });
    writeFileSync(`${path}.new`, "http: { port: 4001 }\n");
    renameSync(`${path}.new`, path);
    expect(last()).toMatchObject({ kind: "changed", config: { values: { http: { port: 4001 } } } });
    rmSync(path);
    expect(last()).toMatchObject({ kind: "changed", config: { values: { http: { port: 2355 } } } });
    const count = changes.length;
    clock.advance(CONFIG_POLL_MS);
    expect(changes).toHaveLength(count);
    watching.close();
    writeFileSync(path, "http: { port: 5 }\n");
    clock.advance(CONFIG_POLL_MS);
    expect(changes).toHaveLength(count);
  });

  it("tells what changed between the reading and the watching", () => {
    const clock = handClock();
    const before = configFingerprint(path);
    writeFileSync(path, "http: { port: 4000 }\n");
    const changes: ConfigChange[] = [];
    const watching = watchConfig(path, before, (change) => changes.push(change), clock);
    clock.advance(CONFIG_POLL_MS);
    watching.close();
    expect(changes).toMatchObject([{ kind: "changed", config: { values: { http: { port: 4000 } } } }]);
  });

  it("does not wait for the poll where the system tells", async () => {
    const told = await new Promise<ConfigChange>((resolve) => {
      const watching = watchConfig(
        path,
        configFingerprint(path),
        (change) => {
          watching.close();
          resolve(change);
        },
        handClock(),
      );
      writeFileSync(`${path}.new`, "http: { port: 4000 }\n");
      renameSync(`${path}.new`, path);
    });
    expect(told.kind).toBe("changed");
  });
});
