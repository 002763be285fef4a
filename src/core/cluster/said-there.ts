/** What another host says in its own words, as it is read here: quoted, and its commands with the host where they work. */
import { inQuotes } from "../text/strangers-words.ts";
import { partsOfHow } from "./dialog-codes.ts";
import type { HostName } from "./hosts.ts";

/** A reason may name a dialog, whole. */
const LONGEST_SAID = 600;

/** Where a command of ours begins in a sentence. */
const COMMAND = /(: |\(|\bwith |)(["'`]?)\bbellhop (?=[a-z])/gu;

export function saidThere(host: HostName, text: string): string {
  const where = `on ${host}: `;
  // What a dialog shows is approved as it stands.
  const [words, how] = partsOfHow(text);
  const placed = words.replace(COMMAND, (found: string, before: string, quote: string, at: number) => {
    if (before === "" && quote === "") return found;
    if (words.slice(0, at + before.length).endsWith(where)) return found;
    return `${before === ": " ? ", " : before.replace("with ", "")}${where}${quote}bellhop `;
  });
  // Nobody may answer what they cannot see whole.
  return inQuotes([...placed, ...how].length > LONGEST_SAID ? placed : placed + how, LONGEST_SAID);
}
