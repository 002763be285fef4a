/** The end of a hard day, for a person: what happened how often, and how long it took to catch up. */
import type { Endured } from "./course.ts";

const HEAD = ["trouble", "times", "longest", "messages during it", "all read after", "all known after"];

export function tableOf(endured: readonly Endured[]): string {
  const troubles = [...new Set(endured.map(({ trouble }) => trouble))];
  const lines = [HEAD, ...troubles.map((trouble) => rowOf(endured.filter((one) => one.trouble === trouble)))];
  const widths = HEAD.map((_, at) => Math.max(...lines.map((line) => (line[at] ?? "").length)));
  return lines.map((line) => line.map((word, at) => pad(word, widths[at] ?? 0, at)).join("  ")).join("\n");
}

function rowOf(all: readonly Endured[]): readonly string[] {
  return [
    all[0]?.trouble ?? "",
    String(all.length),
    seconds(all.map(({ lastedMs }) => lastedMs)),
    String(all.reduce((sum, { messages }) => sum + messages, 0)),
    seconds(all.map(({ readAfterMs }) => readAfterMs)),
    seconds(all.map(({ knownAfterMs }) => knownAfterMs)),
  ];
}

function pad(word: string, width: number, at: number): string {
  return at === 0 ? word.padEnd(width) : word.padStart(width);
}

/** The worst of them. */
function seconds(all: readonly number[]): string {
  return `${(Math.max(...all) / 1_000).toFixed(1)} s`;
}
