/** `npm run bench`: every row a ratio taken in one run, printed with its goal. Nothing here fails for being slow. */
import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { asJson, asText, loadNow, machine } from "./report.ts";
import type { Extent, Row } from "./row.ts";
import { injectionRows } from "./rows/injection.ts";

const GROUPS: Readonly<Record<string, (extent: Extent) => Promise<readonly Row[]>>> = {
  injection: injectionRows,
};

const { values } = parseArgs({
  options: {
    quick: { type: "boolean" },
    json: { type: "boolean" },
    only: { type: "string" },
  },
});

const extent: Extent = values.quick ? "quick" : "full";
const wanted = values.only?.split(",") ?? Object.keys(GROUPS);
const unknown = wanted.filter((name) => !(name in GROUPS));
if (unknown.length > 0) {
  process.stderr.write(`No such rows: ${unknown.join(", ")}. There are: ${Object.keys(GROUPS).join(", ")}.\n`);
  process.exit(2);
}

const tmux = execFileSync("tmux", ["-V"], { encoding: "utf8", timeout: 5_000 }).trim();
const before = loadNow();
const start = performance.now();
const rows: Row[] = [];
const failures: { group: string; why: string }[] = [];
for (const name of wanted) {
  const begun = performance.now();
  try {
    rows.push(...((await GROUPS[name]?.(extent)) ?? []));
  } catch (error) {
    failures.push({ group: name, why: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
  process.stderr.write(`${name}: ${((performance.now() - begun) / 1_000).toFixed(1)} s\n`);
}
const run = {
  machine: machine(tmux),
  extent,
  load: { before, after: loadNow() },
  seconds: (performance.now() - start) / 1_000,
  rows,
  failures,
};
process.stdout.write(values.json ? asJson(run) : asText(run));
process.exitCode = failures.length === 0 ? 0 : 1;
