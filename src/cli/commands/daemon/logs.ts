import { join } from "node:path";
import { BellhopError } from "../../../core/errors.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import { countFrom, rangeInWords } from "../../arguments/given-count.ts";
import type { Command } from "../../command.ts";
import { clockTime } from "../../printing/moments.ts";
import type { Output } from "../../printing/output.ts";

const STANDARD_LINES = 100;
const LINES = { option: "-n", of: "lines", least: 0, most: 100_000 };

export const logs: Command = {
  name: "logs",
  summary: "print the daemon's log",
  usage: ["logs [-f] [-n LINES]"],
  options: {
    follow: { kind: "flag", short: "f", summary: "keep printing new lines, until Ctrl+C" },
    lines: {
      kind: "value",
      short: "n",
      value: "LINES",
      takes: rangeInWords(LINES),
      summary: `how many lines (default: ${STANDARD_LINES})`,
    },
  },
  examples: [
    { command: "bellhop logs -n 20", does: "the last twenty lines" },
    { command: "bellhop logs -f", does: "the last lines and every new one" },
  ],
  run: async (context, args) => {
    const { out } = context;
    const folder = context.home().logs;
    const count = countFrom(args.value("lines"), LINES) ?? STANDARD_LINES;
    const { followFile, lastLines } = await import("../../printing/log-tail.ts");
    const path = join(folder, "bellhop.log");
    // A daemon that failed before it opened its log has left its last output where it was started.
    const own = lastLines(path, count);
    const found = own ?? lastLines(join(folder, "daemon.out"), count);
    if (found === undefined && !args.flag("follow")) {
      throw new BellhopError("file.missing", {
        message: `There is no log at ${path}.`,
        next: 'The daemon writes it once it runs: "bellhop up".',
      });
    }
    const stopped = args.flag("follow") ? context.interrupted() : undefined;
    for (const line of found?.lines ?? []) print(out, line);
    if (stopped !== undefined) {
      const pause = (ms: number) => context.pause(ms, stopped);
      await followFile(path, own?.end ?? 0, (line) => print(out, line), { stopped, pause });
    }
  },
};

const LEVELS: Readonly<Record<number, string>> = { 30: "info", 40: "warn", 50: "error", 60: "fatal" };

function print(out: Output, line: string): void {
  if (out.json) out.raw(`${line}\n`);
  else out.line(readable(line));
}

/** A JSON line in readable form; anything else unchanged. */
export function readable(line: string): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return sanitiseLine(line);
  }
  const { time, level, event, ...fields } = entry;
  const at = typeof time === "string" || typeof time === "number" ? clockTime(new Date(time).getTime()) : "";
  const details = Object.entries(fields).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const grade = LEVELS[Number(level)] ?? String(level);
  return sanitiseLine([at, grade.padEnd(5), String(event), ...details].join(" ").trimStart());
}
