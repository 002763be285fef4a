/** The part of `docs/cluster-growth.md` that `npm run growth -- --record` writes, between markers; people write the rest. */
import { tableOf } from "../history.ts";
import type { Figures, Rate } from "./measure.ts";

const BEGIN = "<!-- growth: written by npm run growth -- --record -->";
const END = "<!-- growth: end -->";

type Line = readonly [what: string, figure: (of: Figures) => string];

const LINES: readonly Line[] = [
  ["one announcement", ({ bytes }) => inBytes(bytes)],
  ["announcements to each host, nothing changes", ({ quiet }) => rate(quiet)],
  ["announcements to each host, an agent on every host works all the time", ({ busy }) => rate(busy)],
  ["to hear one that says nothing new", ({ quiet }) => micros(quiet.us)],
  ["to hear one that says something new", ({ busy }) => micros(busy.us)],
  ["of one core, for hearing, nothing changes", ({ quiet }) => share(quiet)],
  ["of one core, for hearing, an agent on every host works all the time", ({ busy }) => share(busy)],
  ["to find the host of an agent by its name", ({ nameUs }) => micros(nameUs)],
  ["to find the takers of a path: one host", ({ pathUs }) => micros(pathUs)],
  ["to find the takers of a path: ten hosts", ({ teamUs }) => micros(teamUs)],
  ["to find the takers of a path with a wildcard of its own", ({ wildUs }) => micros(wildUs)],
  ["to seal a short letter for one host", ({ sealUs }) => micros(sealUs)],
  ["to join: to hear all, until they are on disk", ({ joinMs }) => millis(joinMs)],
  ["to start again, with what was kept", ({ restartMs }) => millis(restartMs)],
  ["memory for each known host", ({ knownBytes }) => inBytes(knownBytes)],
];

export function tableFor(all: readonly Figures[]): string {
  const columns = ["", ...all.map(({ hosts }) => `${hosts.toLocaleString("en")} hosts`)];
  return tableOf(
    columns,
    LINES.map(([what, figure]) => [what, ...all.map(figure)]),
  ).join("\n");
}

export function withTable(page: string, sentence: string, table: string): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error("docs/cluster-growth.md has lost the place of its table.");
  return `${page.slice(0, from + BEGIN.length)}\n\n${sentence}\n\n${table}\n\n${page.slice(to)}`;
}

/** A figure with two digits that say something. */
function short(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value >= 10 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(2);
}

function inBytes(bytes: number): string {
  if (bytes >= 1024 * 1024) return `${short(bytes / 1024 / 1024)} MiB`;
  return bytes >= 1024 ? `${short(bytes / 1024)} KiB` : `${short(bytes)} B`;
}

const micros = (us: number): string => (us >= 1_000 ? millis(us / 1_000) : `${short(us)} µs`);
const millis = (ms: number): string => (ms >= 1_000 ? `${short(ms / 1_000)} s` : `${short(ms)} ms`);
const rate = ({ perSecond, bytesPerSecond }: Rate): string =>
  `${short(perSecond)}/s, ${inBytes(bytesPerSecond)}/s`;
const share = ({ perSecond, us }: Rate): string => `${short((perSecond * us) / 10_000)} %`;
