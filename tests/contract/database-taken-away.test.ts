/** The database is removed, truncated, replaced or loses its log while the built daemon runs: it notices and says so. */
import type { ChildProcess } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../src/store/sqlite/store.ts";
import { type Connect, loadDriver } from "../../src/system/sqlite-driver.ts";
import type { StatusResponse } from "../../src/wire/shapes/daemon.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { until } from "../rig/scripted-agent.ts";
import { askHttp } from "./http-harness.ts";
import { post } from "./store-samples.ts";

let bellhop: Bellhop;
let daemon: ChildProcess;
let database: string;
let folder: string;
/** Another Bellhop's database, complete and valid. */
let other: string;
let connect: Connect;

beforeAll(async () => {
  connect = await loadDriver();
  folder = mkdtempSync(join(tmpdir(), "bellhop-other-"));
  other = join(folder, "other.db");
  const store = await openStore({ path: other });
  await store.write((tx) => post(tx));
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(async () => {
  bellhop = new Bellhop();
  database = join(bellhop.home, "bellhop.db");
  daemon = await bellhop.start();
  await bellhop.json(["agent", "add", "api"]);
  await bellhop.json(["send", "api", "accepted before"]);
});
afterEach(() => bellhop.dispose());

const status = () => bellhop.json<StatusResponse>(["status"]);
const troubled = async (): Promise<StatusResponse["trouble"][number]> => {
  await until(async () => {
    const [trouble] = (await status()).trouble;
    return trouble !== undefined && !trouble.message.includes("is being saved");
  }, "trouble");
  return (await status()).trouble[0] as StatusResponse["trouble"][number];
};

/** While the daemon runs; then what a restart finds if the person follows the advice. */
const FAULTS = [
  { fault: "removed", act: () => rmSync(database), kept: "copied" },
  {
    fault: "replaced by another file",
    act: () => {
      copyFileSync(other, `${database}.new`);
      renameSync(`${database}.new`, database);
    },
    kept: "copied",
  },
  // In a new database everything is still in the log.
  { fault: "truncated", act: () => truncateSync(database), kept: "copied" },
  { fault: "overwritten", act: () => copyFileSync(other, database), kept: "nothing" },
  { fault: "-wal was removed", act: () => rmSync(`${database}-wal`), kept: "in place" },
] as const;

describe.each(FAULTS)("a database that is lost: $fault", ({ fault, act, kept }) => {
  it("is noticed while nothing is sent, said everywhere, and nothing more goes in", async () => {
    act();
    const trouble = await troubled();
    expect(trouble).toMatchObject({ code: "store.lost", message: expect.stringContaining(fault) });
    const standsThere = existsSync(database) ? readFileSync(database) : undefined;

    const sent = await bellhop.run(["send", "api", "after it", "--json"]);
    expect([sent.code, sent.stdout]).toEqual([1, ""]);
    expect(JSON.parse(sent.stderr).error).toEqual({
      code: "store.lost",
      message: trouble.message,
      next: trouble.next,
    });
    const door = { socketPath: join(bellhop.home, "run", "http.sock") };
    const told = await askHttp(door, {
      method: "POST",
      path: "/sessions/api/send",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: "after it" }),
    });
    expect([told.status, JSON.parse(told.text).error.code]).toEqual([503, "store.lost"]);
    expect((await bellhop.run(["status"])).stdout).toContain(trouble.message);
    const doctor = await bellhop.run(["doctor"]);
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringContaining(trouble.message) });
    expect(bellhop.log()).toContain('"event":"store.lost"');

    expect(await bellhop.run(["down"])).toMatchObject({ code: 0, stdout: "stopped\n" });
    // What somebody else put there is left as it is.
    if (standsThere !== undefined) expect(readFileSync(database).equals(standsThere)).toBe(true);
    const [copy] = /\S+rescued-\d+/u.exec(trouble.next) ?? [];
    expect(copy !== undefined).toBe(kept === "copied");
    if (copy !== undefined && standsThere === undefined) {
      // A person who starts it nevertheless, with an empty database, is told where the rest is.
      await bellhop.start();
      expect((await status()).warnings).toContainEqual(expect.stringContaining(copy));
      await bellhop.run(["down"]);
    }
    if (copy !== undefined) renameSync(copy, database);
    await bellhop.start();
    const waiting = await bellhop.json<readonly unknown[]>(["queue", "api"]).catch(() => []);
    expect(waiting).toHaveLength(kept === "nothing" ? 0 : 1);
  });
});

describe("a database", () => {
  it("that is moved away and back goes on as if nothing had been", async () => {
    renameSync(database, `${database}.elsewhere`);
    expect((await troubled()).next).toContain("move it back");
    renameSync(`${database}.elsewhere`, database);
    await until(async () => (await status()).trouble.length === 0, "its return");
    await bellhop.json(["send", "api", "after it"]);
    expect((await status()).queued).toBe(2);
    expect(existsSync(database)).toBe(true);
  });

  it("that others read, write, tidy and touch through SQLite is not lost", async () => {
    const beside = connect(database, { busyTimeoutMs: 5_000 });
    const steps = [
      () => beside.prepare("SELECT count(*) FROM messages").get(),
      () => beside.exec("CREATE TABLE IF NOT EXISTS notes (text); INSERT INTO notes VALUES ('x')"),
      () => beside.exec("VACUUM"),
      () => beside.exec("PRAGMA wal_checkpoint(TRUNCATE)"),
      () => utimesSync(database, 1, 1),
      () => copyFileSync(database, join(folder, "copy.db")),
      () => beside.exec("DROP TABLE notes"),
    ];
    for (const step of steps) {
      step();
      await bellhop.json(["send", "api", "beside it"]);
    }
    expect((await status()).trouble).toEqual([]);
    expect((await status()).queued).toBe(1 + steps.length);
    beside.close();
  });

  it("that goes with its whole home takes the daemon along", async () => {
    const ended = new Promise((resolve) => daemon.once("exit", resolve));
    renameSync(bellhop.home, `${bellhop.home}-gone`);
    expect(await ended).toBe(0);
    renameSync(`${bellhop.home}-gone`, bellhop.home);
  });
});
