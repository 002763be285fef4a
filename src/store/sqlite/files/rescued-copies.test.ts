import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { rescuedCopies, rescuedCopy, warningOf } from "./rescued-copies.ts";

it("finds every copy that was saved beside a database, and nothing else", () => {
  const folder = mkdtempSync(join(tmpdir(), "bh-rescued-"));
  try {
    const database = join(folder, "bellhop.db");
    const copies = [rescuedCopy(database, 1_000), rescuedCopy(database, 2_000)];
    for (const path of [database, `${database}-wal`, `${database}.elsewhere`, ...copies])
      writeFileSync(path, "");
    expect(rescuedCopies(database)).toEqual(copies);
    expect(warningOf(copies[0] ?? "", database)).toContain(`move it to ${database}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
