import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffText } from "./diff.ts";

describe("diffText", () => {
  it("shows what changes, with a little of what does not", () => {
    const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n";
    const after = "1\n2\n3\n4\n5\nnew\n7\n8\n9\n10\n11\nlast\n";
    expect(diffText("/f", before, after)).toBe(
      "--- /f\n+++ /f\n@@\n 3\n 4\n 5\n-6\n+new\n 7\n 8\n 9\n 10\n 11\n+last",
    );
  });

  it("names a file that is new or goes", () => {
    expect(diffText("/f", undefined, "a\n")).toBe("--- (no file)\n+++ /f\n+a");
    expect(diffText("/f", "a\n", undefined)).toBe("--- /f\n+++ (no file)\n-a");
  });

  it("tells the truth about every line", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const rows = diffText("/f", `${a.join("\n")}\n`, `${b.join("\n")}\n`)
          .split("\n")
          .slice(2);
        const count = (list: readonly string[], line: string) => list.filter((each) => each === line).length;
        for (const line of ["a", "b", "c"]) {
          const change = count(rows, `+${line}`) - count(rows, `-${line}`);
          expect(count(b, line) - count(a, line)).toBe(change);
        }
      }),
    );
  });

  it("shows a file of very many lines as replaced", () => {
    const many = (start: string) => Array.from({ length: 3_000 }, (_, at) => `${start}${at}`).join("\n");
    const rows = diffText("/f", many("a"), many("b")).split("\n");
    expect(rows.filter((row) => row.startsWith("-a"))).toHaveLength(3_000);
    expect(rows.filter((row) => row.startsWith("+b"))).toHaveLength(3_000);
  });
});
