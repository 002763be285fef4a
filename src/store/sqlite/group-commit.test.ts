import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectionOver } from "./connection.ts";
import { type Database, loadDriver, type PreparedStatement } from "./driver.ts";
import { GroupCommit, MOST_CHANGES_PER_COMMIT, MOST_CHANGES_WAITING } from "./group-commit.ts";

let database: Database;
let statements: string[];
/** What the next run of a statement should do instead. */
let failures: Map<string, () => void>;
let commits: GroupCommit;
let insert: (value: number) => () => number;

beforeEach(async () => {
  const connect = await loadDriver();
  database = connect(":memory:", { busyTimeoutMs: 0 });
  database.exec("CREATE TABLE numbers (value INTEGER UNIQUE)");
  statements = [];
  failures = new Map();
  const connection = connectionOver(watched(database), () => {});
  commits = new GroupCommit(database, connection);
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
    ["SAVEPOINT change", IOERR_FSYNC, "store.failed"],
    ["RELEASE change", FULL, "store.disk_full"],
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
