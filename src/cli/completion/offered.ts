/** What can be completed where in a command line, derived from its usage, `WHO` or `ID`. Pure. */
import type { Command } from "../command.ts";
import type { Offer } from "./offers.ts";

export interface Offered {
  /** By position among the plain words; the last one applies to all that follow if it may be repeated. */
  readonly words: readonly (Offer | undefined)[];
  readonly repeats: boolean;
  readonly options: readonly (readonly [option: string, offer: Offer])[];
}

/** `path` in the command's own names: `queue cancel`. */
export function offeredBy(path: string, command: Command): Offered {
  const [form = ""] = command.usage;
  const rest = form.startsWith(`${path} `) ? form.slice(path.length + 1) : "";
  const places = rest.split(" ");
  const end = places.findIndex((place) => /^\[?--|^\[options\]|^["'-]/.test(place));
  const words = (end === -1 ? places : places.slice(0, end)).map((place) => offerFor(path, place));
  return {
    words: command.run === undefined ? [] : words,
    repeats: places.some((place) => place === "ID…"),
    options: Object.entries(command.options ?? {}).flatMap(([name, { value = "" }]) => {
      const offer = FOREIGN.includes(name) ? undefined : offerFor(path, value);
      return offer === undefined ? [] : [[name, offer] as const];
    }),
  };
}

/** Ids of other systems, which cannot be completed. */
const FOREIGN = ["external-id"];

/** Commands whose NAME is an existing agent. */
const NAMED = ["agent show", "agent remove", "agent move", "agent auto-run", "agent token"];

/** Commands that reach agents on other hosts too: everything else can be done only where an agent runs. */
const WRITING = ["send", "ask", "remind", "wake", "reminders"];

function offerFor(path: string, place: string): Offer | undefined {
  switch (place.replace(/[[\]…]/g, "")) {
    case "WHO":
      return WRITING.includes(path) ? "recipient" : "agent";
    case "AGENT":
      return "agent";
    case "NAME":
      return NAMED.includes(path) ? "agent" : undefined;
    case "HOST":
      return path.startsWith("cluster") || path === "agent move" ? "host" : undefined;
    case "ID":
      if (path.startsWith("queue")) return "waiting";
      return path.startsWith("reminders") ? "reminder" : path.startsWith("unmatched") ? undefined : "message";
    default:
      return undefined;
  }
}
