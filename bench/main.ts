/** `npm run bench`: every row a ratio taken in one run, printed with its goal. Nothing here fails for being slow. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { asJson, asText, loadNow, machine } from "./report.ts";
import { DaemonStage } from "./rig/daemon-stage.ts";
import type { Extent, Row } from "./row.ts";
import { acceptRows } from "./rows/accept.ts";
import { buildRows } from "./rows/builds.ts";
import { commandStartRows } from "./rows/command-start.ts";
import { endToEndRows } from "./rows/end-to-end.ts";
import { hostedRows } from "./rows/hosted.ts";
import { injectionRows } from "./rows/injection.ts";
import { matchingRows } from "./rows/matching.ts";
import { memoryRows } from "./rows/memory.ts";
import { panesRows } from "./rows/panes.ts";
import { pastRows } from "./rows/past.ts";
import { officialPublishRows, publishRows } from "./rows/publish.ts";
import { startRows } from "./rows/start.ts";
import { stepRows } from "./rows/steps.ts";

const SESSIONS = 20;

let daemon: Promise<DaemonStage> | undefined;
/** One daemon for all that need one, from the first of them. */
const withDaemon =
  (rows: (extent: Extent, stage: DaemonStage) => Promise<readonly Row[]>) => async (extent: Extent) => {
    daemon ??= DaemonStage.open(SESSIONS);
    return rows(extent, await daemon);
  };

/** In this order: memory before the first message. */
const GROUPS: Readonly<Record<string, (extent: Extent) => Promise<readonly Row[]>>> = {
  injection: injectionRows,
  memory: withDaemon(memoryRows),
  "end-to-end": withDaemon(endToEndRows),
  "command-start": withDaemon(commandStartRows),
  hosted: withDaemon(hostedRows),
  steps: stepRows,
  accept: acceptRows,
  matching: matchingRows,
  panes: panesRows,
  past: pastRows,
  publish: publishRows,
  "publish-official": officialPublishRows,
  start: startRows,
};

const { values } = parseArgs({
  options: {
    quick: { type: "boolean" },
    json: { type: "boolean" },
    only: { type: "string" },
    against: { type: "string" },
  },
});

const extent: Extent = values.quick ? "quick" : "full";
const only = values.only?.split(",");
const unknown = only?.filter((name) => !(name in GROUPS)) ?? [];
if (unknown.length > 0) {
  process.stderr.write(
    `No such rows: ${unknown.join(", ")}. There are: ${Object.keys(GROUPS).join(", ")}.\n`,
  );
  process.exit(2);
}

const tmux = execFileSync("tmux", ["-V"], { encoding: "utf8", timeout: 5_000 }).trim();
const before = loadNow();
const start = performance.now();
const rows: Row[] = [];
const failures: { group: string; why: string }[] = [];

async function attempt(group: string, work: () => Promise<readonly Row[]>): Promise<void> {
  const begun = performance.now();
  try {
    rows.push(...(await work()));
  } catch (error) {
    failures.push({ group, why: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
  process.stderr.write(`${group}: ${((performance.now() - begun) / 1_000).toFixed(1)} s\n`);
}

const { against } = values;
if (against !== undefined && !existsSync(join(against, "dist", "daemon.mjs"))) {
  process.stderr.write(
    `${against} is no built checkout of Bellhop: it has no dist/daemon.mjs. Run npm run build there.\n`,
  );
  process.exit(2);
}
const groups =
  against === undefined ? GROUPS : { builds: (size: Extent) => buildRows(size, resolve(against)) };
for (const [group, measure] of Object.entries(groups)) {
  if (only === undefined || only.includes(group)) await attempt(group, () => measure(extent));
}
if (daemon !== undefined) {
  const stage = daemon;
  await attempt("cleaning up", async () => {
    await (await stage).close();
    return [];
  });
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
