/** `npm run growth`: the cluster's own code with many virtual hosts in one process. Nothing here fails for being slow. */
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Figures, measured } from "./measure.ts";
import { tableFor, withTable } from "./table.ts";

const PAGE = fileURLToPath(new URL("../../docs/cluster-growth.md", import.meta.url));
const SIZES = [10, 100, 1_000, 3_000];
const LEAST = [10];
const MOST_HOSTS = 10_000;

const HELP = `npm run growth -- [OPTIONS]

Clusters of ${SIZES.map((size) => size.toLocaleString("en")).join(", ")} virtual hosts in one process, with the code of real ones and an engine in memory:
what announcements cost each host, and how long it takes to find a name, to find the takers of a path, and to join.

  --hosts N,N   these sizes instead
  --record      also writes the table of docs/cluster-growth.md
  --smoke       the least size: that it runs, not how fast
  --json        all figures as JSON
  --help        this text

Nothing fails for being slow.
`;

const loadNow = (): number => loadavg()[0] ?? Number.NaN;
const loadBefore = loadNow();
const { values } = parseArgs({
  options: {
    hosts: { type: "string" },
    record: { type: "boolean" },
    smoke: { type: "boolean" },
    json: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help === true) process.stdout.write(HELP);
else await run(sizes());

async function run(all: readonly number[]): Promise<void> {
  const figures: Figures[] = [];
  for (const size of all) {
    const start = performance.now();
    figures.push(await measured(size));
    const seconds = ((performance.now() - start) / 1_000).toFixed(1);
    if (values.smoke !== true) process.stderr.write(`${size.toLocaleString("en")} hosts: ${seconds} s\n`);
  }
  if (values.smoke === true) return;
  const table = tableFor(figures);
  process.stdout.write(values.json === true ? `${JSON.stringify(figures, null, 2)}\n` : `${table}\n`);
  if (values.record !== true) return;
  writeFileSync(PAGE, withTable(readFileSync(PAGE, "utf8"), sentence(), table));
  process.stderr.write("Recorded in docs/cluster-growth.md.\n");
}

function sizes(): readonly number[] {
  if (values.smoke === true) return LEAST;
  const asked = values.hosts?.split(",").map(Number) ?? SIZES;
  const wrong = asked.find((size) => !Number.isInteger(size) || size < 2 || size > MOST_HOSTS);
  if (wrong !== undefined) throw new Error(`--hosts takes numbers from 2 to ${MOST_HOSTS}.`);
  return asked;
}

function sentence(): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  return (
    `Measured on ${new Date().toISOString().slice(0, 10)} (Node ${process.versions.node}, ${process.platform} ${process.arch}, ` +
    `${availableParallelism()} cores, ${memory} GiB of memory, load ${loadBefore.toFixed(1)} → ${loadNow().toFixed(1)}).`
  );
}
