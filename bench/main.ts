/** `npm run bench`: every row a ratio taken in one run, printed with its goal. Nothing here fails for being slow. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Groups } from "./groups.ts";
import { type Plan, readOptions } from "./options.ts";
import { moment, record } from "./record.ts";
import { asJson, asText, type Failure, loadNow, machine, type Run, withoutFigure } from "./report.ts";
import type { Row } from "./row.ts";
import { buildRows } from "./rows/builds.ts";

/** A smoke run measures nothing, so groups may run at the same time; more would not end sooner. */
const AT_ONCE_IN_SMOKE = 4;
const SMOKE_DEADLINE_MS = 120_000;

const asked = readOptions(process.argv.slice(2));
if (asked.kind !== "plan") throw new Error("scripts/bench.mjs answers everything else");
const now = asked.plan.isRecorded ? moment() : undefined;
const run = await measured(asked.plan);
process.stdout.write(asked.plan.isJson ? asJson(run) : asText(run));
if (now !== undefined) process.stderr.write(record(run, now));
// What hangs in a smoke run must not keep it from ending.
if (asked.plan.extent === "smoke") process.exit(run.failures.length === 0 ? 0 : 1);
process.exitCode = run.failures.length === 0 ? 0 : 1;

async function measured(plan: Plan): Promise<Run> {
  const before = loadNow();
  const start = performance.now();
  const tmux = execFileSync("tmux", ["-V"], { encoding: "utf8", timeout: 5_000 }).trim();
  const failures: Failure[] = [];
  const results = new Map<string, readonly Row[]>();
  await atMostAtOnce(
    plan.extent === "smoke" ? AT_ONCE_IN_SMOKE : 1,
    worksOf(plan).map(([group, work]) => async () => {
      results.set(group, []);
      const begun = performance.now();
      try {
        const rows = await (plan.extent === "smoke" ? soon(work()) : work());
        results.set(group, rows);
        failures.push(...withoutFigure(group, rows));
      } catch (error) {
        failures.push({
          group,
          why: error instanceof Error ? (error.stack ?? error.message) : String(error),
        });
      }
      if (plan.extent !== "smoke")
        process.stderr.write(`${group}: ${((performance.now() - begun) / 1_000).toFixed(1)} s\n`);
    }),
  );
  return {
    machine: machine(tmux),
    extent: plan.extent,
    load: { before, after: loadNow() },
    seconds: (performance.now() - start) / 1_000,
    rows: [...results.values()].flat(),
    failures,
  };
}

type Work = readonly [group: string, work: () => Promise<readonly Row[]>];

function worksOf({ extent, groups, against }: Plan): readonly Work[] {
  if (against !== undefined) {
    if (!existsSync(join(against, "dist", "daemon.cjs")))
      throw new Error(`${against} is no built checkout of Bellhop: run npm run build there.`);
    return [["builds", () => buildRows(extent, resolve(against))]];
  }
  const all = new Groups(extent);
  const left = new Set<string>(groups);
  return groups.map((group) => [
    group,
    async () => {
      try {
        return await all.measure(group);
      } finally {
        left.delete(group);
        if (left.size === 0) await all.close();
      }
    },
  ]);
}

async function atMostAtOnce(count: number, works: readonly (() => Promise<void>)[]): Promise<void> {
  const waiting = [...works];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
  };
  await Promise.all(Array.from({ length: count }, worker));
}

async function soon<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`not at its end after ${SMOKE_DEADLINE_MS / 1_000} s`)),
      SMOKE_DEADLINE_MS,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
