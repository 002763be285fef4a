import { describe, expect, it } from "vitest";
import { connectionOver } from "./connection.ts";
import { IN_MEMORY, openDatabase } from "./open.ts";
import { isBusy, isMediumFailure, storeError } from "./sqlite-errors.ts";

const fromDriver = (message: string, more: object) => Object.assign(new Error(message), more);

describe("an error of the driver", () => {
  it.each([
    [13, {}, "store.disk_full"],
    [10 | (4 << 8), {}, "store.failed"],
    [10 | (4 << 8), { systemErrno: 28 }, "store.disk_full"],
    [10 | (19 << 8), {}, "store.disk_full"],
    [11, {}, "store.corrupt"],
    [11 | (1 << 8), {}, "store.corrupt"],
    [26, {}, "store.corrupt"],
    [5, {}, "store.failed"],
    [19 | (8 << 8), {}, "store.failed"],
  ])("with code %i %j becomes %s, and keeps its cause", (errcode, more, code) => {
    const error = fromDriver("x", { errcode, ...more });
    expect(storeError(error)).toMatchObject({ code, cause: error });
    expect(isMediumFailure(storeError(error))).toBe(isMediumFailure(error));
  });

  it.each([
    ["database or disk is full", "store.disk_full"],
    ["database disk image is malformed", "store.corrupt"],
    ["disk I/O error", "store.failed"],
  ])("without a code is told by its text: %s", (text, code) => {
    const error = fromDriver(text, { code: "ERR_SQLITE_ERROR" });
    expect(storeError(error)).toMatchObject({ code });
    expect(isMediumFailure(error)).toBe(true);
  });

  it("is told from a lock that another holds", () => {
    expect(isBusy(fromDriver("database is locked", { errcode: 5 | (1 << 8) }))).toBe(true);
    expect(isBusy(fromDriver("database is locked", { code: "ERR_SQLITE_ERROR" }))).toBe(true);
    expect(isBusy(fromDriver("full", { errcode: 13 }))).toBe(false);
  });

  it("is typed whichever way the statement was run", async () => {
    const database = await openDatabase(IN_MEMORY);
    const connection = connectionOver(database, () => {});
    const query = connection.sql("SELECT 1 LIMIT ?");
    for (const call of [() => query.all("x"), () => query.get("x"), () => query.run("x")]) {
      expect(call).toThrow(expect.objectContaining({ code: "store.failed" }));
    }
    expect(() => connection.sql("SELECT nonsense")).toThrow(
      expect.objectContaining({ code: "store.failed" }),
    );
    database.close();
  });

  it("leaves what is not the driver's alone", () => {
    const own = new Error("mine");
    expect(storeError(own)).toBe(own);
    expect(storeError("text")).toBe("text");
    expect(isMediumFailure(own)).toBe(false);
  });
});
