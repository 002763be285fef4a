/** Where a prompt is typed: the screen as just read, and what its gate must find. */
import type { Screen } from "../../../../core/readiness/screen.ts";
import type { Batch, DeliveryOutcome } from "../../../../ports/endpoint.ts";
import type { Injection } from "../../../../ports/profile.ts";
import type { GateExpectation } from "../../../../ports/terminal.ts";
import type { LiveSession } from "../../../presence/live-session.ts";
import type { Observation } from "../../../presence/observation.ts";
import { expectationAt, hasShellUnder, refusalHold } from "../../gatekeeping.ts";
import type { RungParts } from "../rung.ts";

export interface PasteParts extends RungParts {
  readonly keyboard: GateExpectation["keyboard"] | undefined;
}

export interface Place {
  readonly observation: Observation;
  readonly screen: Screen;
}

/** Only an interrupt does not wait for a person who has taken the keyboard. */
export function keyboardFor({ items }: Batch): PasteParts["keyboard"] {
  return items.every(({ delivery }) => delivery.priority === "interrupt") ? "may-be-taken" : undefined;
}

export function expected({ session, keyboard }: PasteParts, { observation, screen }: Place): GateExpectation {
  return expectationAt(session, observation, screen, keyboard);
}

/** If the program is the terminal's own process, there is no shell under it that could take its Enter. */
export function isSeenFirst(session: LiveSession, { submit, submitDelayMs }: Injection): boolean {
  return submit !== undefined && (hasShellUnder(session) || submitDelayMs !== undefined);
}

/**
 * The look shows all that the gate will check, so a dry run would only ask the same again. Nothing was kept for the
 * keys, so nothing is to be undone if the gate then refuses them.
 */
export function isSeenOpen(parts: PasteParts, place: Place): boolean {
  const { screen, observation } = place;
  const { cursor, alternate, cursorHidden, quietForMs = 0 } = expected(parts, place);
  return (
    (observation.quietForMs ?? 0) >= quietForMs &&
    (alternate === undefined || alternate === screen.alternate) &&
    (cursorHidden === undefined || cursorHidden !== screen.cursor.visible) &&
    (cursor === undefined || (cursor.x === screen.cursor.x && cursor.y === screen.cursor.y))
  );
}

/** The gate without keys: a refusal here costs no receipt. */
export async function dryRun(parts: PasteParts, place: Place): Promise<DeliveryOutcome | undefined> {
  const { session, context } = parts;
  const outcome = await session.terminal.gate(expected(parts, place), []);
  return outcome.kind === "sent" ? undefined : refusalHold(outcome, session, context);
}
