/** What `npm run bench` is asked for: decided before anything is installed, built or started. */
import { parseArgs } from "node:util";
import type { Extent } from "./row.ts";

/** In the order in which they run: memory before the first message. */
export const GROUPS = [
  "injection",
  "memory",
  "end-to-end",
  "command-start",
  "hosted",
  "steps",
  "accept",
  "matching",
  "panes",
  "past",
  "listeners",
  "board",
  "page",
  "screens",
  "traffic",
  "publish",
  "publish-official",
  "hosts",
  "start",
] as const;
export type Group = (typeof GROUPS)[number];

/** Those with the same work at several sizes. */
const GROWING: readonly Group[] = ["panes", "past", "listeners", "start"];

export const HELP = `npm run bench -- [OPTIONS]

Measures Bellhop against limits and peers, and prints each figure with its goal and whether the goal was met.
Without options it measures every group, which takes about ten minutes.

  --quick          fewer rounds, and no million messages: about four minutes
  --only GROUPS    only these, separated by commas
  --growth         only ${GROWING.join(", ")}: how cost grows
  --record         also writes what was measured to bench/history.md, docs/performance.md and its plots;
                   without it, no file of the project changes
  --against DIR    this build against another built checkout, alternating
  --smoke          every group once, with the least sizes and without other brokers: that it runs, not how fast
  --json           all figures as JSON
  --help           this text

Groups: ${GROUPS.join(", ")}.

Examples:
  npm run bench -- --quick
  npm run bench -- --only accept,steps
  npm run bench -- --growth --quick
  npm run bench -- --record
  npm run bench -- --against ../older --quick

Nothing fails for being slow. The exit status is 1 if a group could not be measured, 2 if the options are wrong.
`;

export interface Plan {
  readonly extent: Extent;
  readonly isJson: boolean;
  readonly isRecorded: boolean;
  readonly groups: readonly Group[];
  /** Another built checkout, instead of the groups. */
  readonly against?: string;
}

export type Asked =
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly why: string }
  | { readonly kind: "plan"; readonly plan: Plan };

export function readOptions(words: readonly string[]): Asked {
  const parsed = valuesOf(words);
  if (typeof parsed === "string") return wrong(parsed);
  if (parsed.help === true) return { kind: "help" };
  const asked = groupsOf(parsed);
  const unknown = asked.filter((name) => !isGroup(name));
  if (unknown.length > 0) return wrong(`There is no group ${unknown.map((name) => `"${name}"`).join(", ")}.`);
  if (parsed.smoke === true && (parsed.quick === true || parsed.record === true))
    return wrong("The figures of --smoke mean nothing: it goes neither with --quick nor with --record.");
  if (parsed.only !== undefined && parsed.growth === true) return wrong("Use either --only or --growth.");
  if (parsed.against !== undefined && (asked.length > 0 || parsed.record === true || parsed.smoke === true))
    return wrong("--against compares two builds: it goes only with --quick and --json.");
  return {
    kind: "plan",
    plan: {
      extent: parsed.smoke === true ? "smoke" : parsed.quick === true ? "quick" : "full",
      isJson: parsed.json === true,
      isRecorded: parsed.record === true,
      groups: GROUPS.filter((name) => asked.length === 0 || asked.includes(name)),
      ...(parsed.against === undefined ? {} : { against: parsed.against }),
    },
  };
}

type Values = Exclude<ReturnType<typeof valuesOf>, string>;

function valuesOf(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        help: { type: "boolean", short: "h" },
        quick: { type: "boolean" },
        smoke: { type: "boolean" },
        growth: { type: "boolean" },
        record: { type: "boolean" },
        json: { type: "boolean" },
        only: { type: "string" },
        against: { type: "string" },
      },
    }).values;
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}.`;
  }
}

function groupsOf({ only, growth }: Values): readonly string[] {
  if (growth === true) return GROWING;
  return only?.split(",").map((name) => name.trim()) ?? [];
}

const isGroup = (name: string): name is Group => (GROUPS as readonly string[]).includes(name);

function wrong(what: string): Asked {
  return { kind: "wrong", why: `${what}\nGroups: ${GROUPS.join(", ")}.\nOptions: npm run bench -- --help\n` };
}
