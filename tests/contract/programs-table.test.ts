import { describe, expect, it } from "vitest";

// Plain JavaScript, which "npm test" runs before anything is built.
const { provenIn, tableOf, withTable } = await import(
  new URL("../../scripts/programs-table.mjs", import.meta.url).href
);

const proven = (more: object) => ({
  program: "claude",
  terminal: "tmux",
  scene: "idle",
  rung: "native",
  outcome: "delivered",
  ...more,
});
const report = (...tests: readonly object[]) => ({ testResults: [{ assertionResults: tests }] });

describe("the table of what was proven", () => {
  const rowOf = (said: string, ...all: readonly object[]) =>
    tableOf(all)
      .split("\n")
      .find((line: string) => line.startsWith(`| ${said} |`));

  it("counts only tests that passed", () => {
    const passed = { status: "passed", meta: { proven: [proven({})] } };
    const failed = { status: "failed", meta: { proven: [proven({ rung: "paste" })] } };
    expect(provenIn([report(passed, failed, { status: "passed" })])).toEqual([proven({})]);
  });

  it("names the rungs in their order, and a terminal only if it is the only one", () => {
    const row = rowOf(
      "a message to an idle agent",
      proven({ rung: "paste" }),
      proven({}),
      proven({ terminal: "hosted" }),
      proven({ program: "codex", terminal: "hosted" }),
    );
    expect(row).toBe(
      "| a message to an idle agent | native: delivered<br>paste: delivered (tmux only) | native: delivered (hosted only) | not tried | not tried |",
    );
  });

  it("has its place in the page, and touches nothing else", () => {
    const page =
      "# Programs\n\n<!-- proven: written by scripts/programs-table.mjs -->\n\nold\n\n<!-- /proven -->\nend\n";
    const written = withTable(page, "| new |");
    expect(written).toBe(page.replace("old", "| new |"));
    expect(withTable(written, "| new |")).toBe(written);
    expect(() => withTable("# Programs", "| new |")).toThrow("lost the place");
  });
});
