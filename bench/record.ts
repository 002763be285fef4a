/** Writes what was measured into the project: the history, the page about speed, its plots. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Moment, parseHistory, renderHistory, withRun } from "./history.ts";
import { plotFile, plottedIn, withFigures } from "./page.ts";
import { plot, plotTitle } from "./plot.ts";
import type { Run } from "./report.ts";
import { AXES } from "./row.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const HISTORY = "bench/history.md";
const PAGE = "docs/performance.md";
/** What a record changes itself does not make a commit another. */
const RECORDED = [HISTORY, PAGE, "docs/performance"];

/** Returns what it did, in lines. */
export function record(run: Run, now: Moment): string {
  const history = join(ROOT, HISTORY);
  const known = existsSync(history) ? parseHistory(readFileSync(history, "utf8")) : [];
  writeFileSync(history, renderHistory(withRun(known, run, now)));
  const path = join(ROOT, PAGE);
  const page = withFigures(readFileSync(path, "utf8"), run, sentence(run, now));
  writeFileSync(path, page);
  for (const axis of AXES) {
    const file = join(dirname(path), plotFile(axis));
    mkdirSync(dirname(file), { recursive: true });
    const { sizes, curves } = plottedIn(page, axis);
    writeFileSync(file, plot(plotTitle(axis), sizes, curves));
  }
  return `Recorded in ${[HISTORY, PAGE, ...AXES.map((axis) => `docs/${plotFile(axis)}`)].join(", ")}.\n`;
}

function sentence({ machine, extent, load }: Run, { date, commit }: Moment): string {
  return (
    `Measured on ${date} at \`${commit}\` (${extent} run; Node ${machine.node.slice(1)}, ${machine.tmux},\n` +
    `${machine.platform}, ${machine.cores} cores, load ${load.before.toFixed(1)} → ${load.after.toFixed(1)}).`
  );
}

/** Taken before the run, because that is what is measured. */
export function moment(): Moment {
  const git = (...words: string[]) =>
    execFileSync("git", words, { cwd: ROOT, encoding: "utf8", timeout: 20_000 }).trim();
  const others = RECORDED.map((path) => `:(exclude)${path}`);
  const isChanged = git("status", "--porcelain", "--", ".", ...others) !== "";
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: `${git("rev-parse", "--short=8", "HEAD")}${isChanged ? "+" : ""}`,
  };
}
