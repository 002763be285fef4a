import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock, OpenWork } from "../../../tests/desk/clock.ts";
import { type Database, loadDriver, type PreparedStatement } from "../../system/sqlite-driver.ts";
import { connectionOver } from "./connection.ts";
import { ForeignLock, LOCK_PATIENCE_MS } from "./files/foreign-lock.ts";
import { GroupCommit, MOST_CHANGES_PER_COMMIT, MOST_CHANGES_WAITING } from "./group-commit.ts";

let database: Database;
let statements: string[];
/** What the next run of a statement does instead. */
let failures: Map<string, () => void>;
let commits: GroupCommit;
let clock: FakeClock;
let lock: ForeignLock;
/** What the check before a commit finds. */
let lostAt: Error | undefined;
let insert: (value: number) => () => number;

beforeEach(async () => {
  const connect = await loadDriver();
  database = connect(":memory:", { busyTimeoutMs: 0 });
  database.exec("CREATE TABLE numbers (value INTEGER UNIQUE)");
  statements = [];
  failures = new Map();
  const connection = connectionOver(watched(database), () => {});
  clock = new FakeClock(new OpenWork());
  lock = new ForeignLock("bellhop.db", clock);
  lostAt = undefined;
  commits = new GroupCommit({
    database,
    connection,
    lock,
    assertStands: () => {
      if (lostAt !== undefined) throw lostAt;
    },
  });
  insert = (value) => () => connection.sql("INSERT INTO numbers VALUES (?)").run(value);
});
afterEach(() => database.close());

function watched(inner: Database): Database {
  return {
    get isTransaction() {
      return inner.isTransaction;
    },
    exec: (sql) => inner.exec(sql),
    close: () => inner.close(),
    prepare(sql): PreparedStatement {
      const statement = inner.prepare(sql);
      return {
        run(...values) {
          statements.push(sql);
          const failure = failures.get(sql);
          failures.delete(sql);
          failure?.();
          return statement.run(...values);
        },
        get: (...values) => statement.get(...values),
        all: (...values) => statement.all(...values),
        setReturnArrays: (enabled) => statement.setReturnArrays(enabled),
        setReadBigInts: (enabled) => statement.setReadBigInts(enabled),
        columns: () => statement.columns(),
      };
    },
  };
}

function failNext(sql: string, errcode: number, alsoDo = () => {}): void {
  failures.set(sql, () => {
    alsoDo();
    throw Object.assign(new Error("made to fail"), { errcode });
  });
}

const IOERR_FSYNC = 10 | (4 << 8);
const FULL = 13;
const BUSY = 5;

const timesRun = (sql: string) => statements.filter((one) => one === sql).length;
const stored = () =>
  (database.prepare("SELECT count(*) AS count FROM numbers").get() as { count: number }).count;

describe("a group commit", () => {
  it("takes all changes of one tick in one transaction", async () => {
    await Promise.all([1, 2, 3].map((value) => commits.add(insert(value))));
    expect(timesRun("COMMIT")).toBe(1);
    await commits.add(insert(4));
    expect(timesRun("COMMIT")).toBe(2);
    expect(stored()).toBe(4);
  });

  it("takes at most so many changes in one transaction", async () => {
    const changes = Array.from({ length: MOST_CHANGES_PER_COMMIT }, (_, value) => commits.add(insert(value)));
    await Promise.all(changes);
    expect(timesRun("COMMIT")).toBe(1);
    const more = Array.from({ length: MOST_CHANGES_PER_COMMIT + 1 }, (_, value) =>
      commits.add(insert(-1 - value)),
    );
    await Promise.all(more);
    expect(timesRun("COMMIT")).toBe(3);
  });

  it("refuses more waiting changes than its maximum", async () => {
    const waiting = Array.from({ length: MOST_CHANGES_WAITING }, () => commits.add(() => 1));
    await expect(commits.add(() => 1)).rejects.toMatchObject({ code: "store.failed" });
    await Promise.all(waiting);
    expect(await commits.add(() => 2)).toBe(2);
  });

  it("rejects alone a change that breaks a constraint", async () => {
    const outcomes = await Promise.allSettled([1, 1, 2].map((value) => commits.add(insert(value))));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(outcomes[1]).toMatchObject({ reason: { code: "store.failed" } });
    expect(stored()).toBe(2);
  });

  it.each([
    ["BEGIN IMMEDIATE", FULL, "store.disk_full"],
    ["COMMIT", FULL, "store.disk_full"],
    ["COMMIT", IOERR_FSYNC, "store.failed"],
    ["INSERT INTO numbers VALUES (?)", FULL, "store.disk_full"],
    ["INSERT INTO numbers VALUES (?)", IOERR_FSYNC, "store.failed"],
  ])("rejects all and keeps nothing when %s fails with %i, then works again", async (sql, errcode, code) => {
    await commits.add(insert(0));
    failNext(sql, errcode);
    const outcomes = await Promise.allSettled([1, 2, 3].map((value) => commits.add(insert(value))));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: "rejected", reason: { code } });
    expect(stored()).toBe(1);
    await commits.add(insert(1));
    expect(stored()).toBe(2);
  });

  it.each([
    ["SAVEPOINT change", IOERR_FSYNC, "store.failed"],
    ["ROLLBACK TO change", FULL, "store.disk_full"],
    ["RELEASE change", FULL, "store.disk_full"],
  ])(
    "rejects all beside one that throws when %s fails with %i, then works again",
    async (sql, errcode, code) => {
      await commits.add(insert(0));
      failNext(sql, errcode);
      const outcomes = await Promise.allSettled([1, 0, 3].map((value) => commits.add(insert(value))));
      for (const outcome of outcomes) expect(outcome).toMatchObject({ status: "rejected", reason: { code } });
      expect(stored()).toBe(1);
      await commits.add(insert(1));
      expect(stored()).toBe(2);
    },
  );

  it("uses no savepoint where no change throws", async () => {
    await Promise.all([1, 2, 3].map((value) => commits.add(insert(value))));
    expect(timesRun("SAVEPOINT change")).toBe(0);
    expect(timesRun("COMMIT")).toBe(1);
    await Promise.allSettled([4, 4, 5].map((value) => commits.add(insert(value))));
    expect(timesRun("SAVEPOINT change")).toBe(3);
    expect(stored()).toBe(5);
  });

  it("waits for the lock where another program takes it while one that throws is undone", async () => {
    let began = 0;
    const beginLate = (): void => {
      began += 1;
      if (began === 1) failures.set("BEGIN IMMEDIATE", beginLate);
      if (began === 2) throw Object.assign(new Error("database is locked"), { errcode: BUSY });
    };
    failures.set("BEGIN IMMEDIATE", beginLate);
    const outcomes = Promise.allSettled([1, 1, 2].map((value) => commits.add(insert(value))));
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(stored()).toBe(0);
    await clock.advance(LOCK_PATIENCE_MS / 2);
    expect((await outcomes).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(stored()).toBe(2);
  });

  it("keeps nothing when SQLite undid the transaction by itself", async () => {
    failNext("INSERT INTO numbers VALUES (?)", FULL, () => database.exec("ROLLBACK"));
    const outcomes = await Promise.allSettled([1, 2].map((value) => commits.add(insert(value))));
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(stored()).toBe(0);
    await commits.add(insert(1));
    expect(stored()).toBe(1);
  });

  it("undoes and rejects a change that is alone in its tick", async () => {
    const alone = commits.add(() => {
      insert(1)();
      throw new Error("no");
    });
    await expect(alone).rejects.toThrow("no");
    expect(stored()).toBe(0);
    expect(timesRun("SAVEPOINT change")).toBe(0);
    await commits.add(insert(1));
    expect(stored()).toBe(1);
  });

  it.each(["COMMIT", "INSERT INTO numbers VALUES (?)"])(
    "keeps nothing of a lone change when %s fails",
    async (sql) => {
      failNext(sql, FULL, () => database.exec("ROLLBACK"));
      await expect(commits.add(insert(1))).rejects.toMatchObject({ code: "store.disk_full" });
      expect(stored()).toBe(0);
      await commits.add(insert(1));
      expect(stored()).toBe(1);
    },
  );

  it("is not fooled by a change that hides such a failure", async () => {
    failNext("INSERT INTO numbers VALUES (?)", FULL, () => database.exec("ROLLBACK"));
    const hiding = () =>
      commits.add(() => {
        try {
          insert(1)();
        } catch {
          return "fine";
        }
        return "fine";
      });
    const outcomes = await Promise.allSettled([hiding(), commits.add(insert(2))]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(stored()).toBe(0);
    failNext("INSERT INTO numbers VALUES (?)", FULL, () => database.exec("ROLLBACK"));
    await expect(hiding()).rejects.toMatchObject({ code: "store.failed" });
    expect(stored()).toBe(0);
  });
});

describe("a group commit while another program has the database locked", () => {
  /** Locked until the test releases it. */
  let locked: boolean;

  beforeEach(() => {
    locked = true;
    const lockAgain = (): void => {
      if (locked) failures.set("BEGIN IMMEDIATE", refuse);
    };
    const refuse = (): void => {
      setImmediate(lockAgain);
      throw Object.assign(new Error("database is locked"), { errcode: BUSY });
    };
    lockAgain();
  });

  async function free(): Promise<void> {
    locked = false;
    failures.clear();
    await clock.advance(1_000);
  }

  it("keeps all changes, in order, and commits them once it is free", async () => {
    const order: number[] = [];
    const first = [1, 2].map((value) => commits.add(insert(value)).then(() => order.push(value)));
    await clock.advance(LOCK_PATIENCE_MS / 2);
    expect(lock.trouble()).toMatchObject({ code: "store.locked", since: clock.now() - LOCK_PATIENCE_MS / 2 });
    const later = commits.add(insert(3)).then(() => order.push(3));
    await clock.advance(100);
    expect(order).toEqual([]);
    await free();
    await Promise.all([...first, later]);
    expect(order).toEqual([1, 2, 3]);
    expect(stored()).toBe(3);
    expect(lock.trouble()).toBeUndefined();
    expect(clock.waiting).toBe(0);
  });

  it("refuses each after its own time, and says so until it is free", async () => {
    const early = commits.add(insert(1)).catch((error) => error);
    await clock.advance(LOCK_PATIENCE_MS - 1_000);
    const late = commits.add(insert(2));
    await clock.advance(1_500);
    expect(await early).toMatchObject({ code: "store.locked" });
    await free();
    await late;
    expect(stored()).toBe(1);

    locked = true;
    failNext("BEGIN IMMEDIATE", BUSY);
    const alone = commits.add(insert(3)).catch((error) => error);
    await clock.advance(10);
    await free();
    await alone;
    expect(stored()).toBe(2);
  });

  it("asks a few times a second, and no more", async () => {
    const waits = commits.add(insert(1)).catch((error) => error);
    await clock.advance(LOCK_PATIENCE_MS + 1_000);
    await waits;
    const asked = timesRun("BEGIN IMMEDIATE");
    expect(asked).toBeLessThan(50);
    await clock.advance(1_000);
    expect(timesRun("BEGIN IMMEDIATE") - asked).toBeLessThan(10);
    expect(lock.trouble()).toBeDefined();
    await free();
    expect(lock.trouble()).toBeUndefined();
  });

  it("is closed when what waits was committed or refused", async () => {
    const waits = commits.add(insert(1));
    await clock.advance(10);
    const closed = commits.close();
    await expect(commits.add(insert(2))).rejects.toMatchObject({ code: "daemon.stopping" });
    await free();
    await Promise.all([waits, closed]);
    expect(stored()).toBe(1);
    expect(clock.waiting).toBe(0);
  });
});

it("commits nothing into a database that is not there any more", async () => {
  await commits.add(insert(1));
  lostAt = new Error("gone");
  const outcomes = await Promise.allSettled([2, 3].map((value) => commits.add(insert(value))));
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(stored()).toBe(1);
});
