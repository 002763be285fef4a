import { BellhopError } from "../../../core/errors.ts";
import type { DatabaseFile, Standing } from "./standing.ts";

export type Lost = Exclude<Standing, { readonly kind: "stands" }>;

/** What became of the database's contents. */
export type Secured =
  | { readonly kind: "not-yet" }
  /** What only the log had was written into the database itself. */
  | { readonly kind: "in-database" }
  | { readonly kind: "copied"; readonly to: string }
  | { readonly kind: "nothing"; readonly why: string };

const HOW = {
  removed: "was removed",
  replaced: "was replaced by another file",
  truncated: "was truncated",
  overwritten: "was overwritten",
} as const;

export function lostError(
  paths: Readonly<Record<DatabaseFile, string>>,
  { file, how }: Lost,
  secured: Secured,
): BellhopError {
  const { database } = paths;
  return new BellhopError("store.lost", {
    message: `${paths[file]} ${HOW[how]} while Bellhop ran: nothing more is accepted or delivered. ${became(database, secured)}`,
    next: `${file === "database" && how === "removed" ? "If you moved it, move it back, and Bellhop goes on. " : ""}${wayOut(database, secured)}`,
  });
}

function became(database: string, secured: Secured): string {
  switch (secured.kind) {
    case "not-yet":
      return "What was accepted before is being saved.";
    case "in-database":
      return `What was accepted before is safe in ${database}.`;
    case "copied":
      return `What was accepted before is safe in ${secured.to}.`;
    case "nothing":
      return `What was accepted before could not be saved: ${secured.why}.`;
  }
}

function wayOut(database: string, secured: Secured): string {
  switch (secured.kind) {
    case "not-yet":
      return 'See "bellhop status" for what to do.';
    case "in-database":
      return "Restart it: bellhop down && bellhop up";
    case "copied":
      return `To go on with what it knew: bellhop down && mv ${secured.to} ${database} && bellhop up. To go on with what is there now instead: bellhop down && bellhop up`;
    case "nothing":
      return `End it with "bellhop down", put a backup at ${database} if you have one, then "bellhop up" goes on with what is there. The bodies of the messages stay in the messages folder.`;
  }
}
