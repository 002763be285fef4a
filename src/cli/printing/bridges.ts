/** Bridges, as `bridge list` and `status` show them. */
import type { Instant } from "../../core/message.ts";
import { sanitiseLine, sanitiseText } from "../../core/text/sanitise.ts";
import type { ShownBridge } from "../../wire/shapes/outside.ts";
import { age } from "./moments.ts";
import type { Output } from "./output.ts";
import { type Columns, printList } from "./table.ts";

const NO_BRIDGES = "No bridge is configured. To answer agents from your phone: bellhop bridge add telegram";

export function listBridges(out: Output, bridges: readonly ShownBridge[], now: Instant): void {
  const ago = (at: Instant | undefined): string => (at === undefined ? "" : `${age(at, now)} ago`);
  const columns: Columns<ShownBridge> = {
    BRIDGE: ({ name }) => name,
    STATE: ({ state }) => state,
    FOR: ({ since }) => age(since, now),
    "LAST IN": ({ lastIn }) => ago(lastIn),
    "LAST OUT": ({ lastOut }) => ago(lastOut),
    STRANGERS: ({ strangers }) => (strangers === 0 ? "" : `${strangers} refused`),
  };
  printList(out, bridges, NO_BRIDGES, columns, ({ error }) => (error === undefined ? "" : `↳ ${error}`));
}

/** One line each. */
export function printBridges(out: Output, bridges: readonly ShownBridge[], now: Instant): void {
  for (const { name, state, since, error, stuck } of bridges) {
    const line = `${sanitiseLine(name)} bridge ${state} for ${age(since, now)}`;
    if (error === undefined) out.line(line);
    else out.line(out.paint(stuck === true ? "red" : "yellow", `! ${line}: ${sanitiseText(error)}`));
  }
}
