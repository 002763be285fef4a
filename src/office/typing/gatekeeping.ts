/** What the final gate must find, and what its refusals mean for the delivery. Used by everything that types. */

import type { HoldReason } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { RETRY_AFTER_REFUSAL_MS } from "../../core/readiness/guard.ts";
import { KEYBOARD_TAKEN, type Screen } from "../../core/readiness/screen.ts";
import { BRING_IT_BACK } from "../../core/readiness/standing.ts";
import type { DeliveryOutcome } from "../../ports/endpoint.ts";
import type { GateExpectation, GateOutcome, GateRefusal } from "../../ports/terminal.ts";
import type { OfficeContext } from "../base/context.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { Observation } from "../presence/observation.ts";

/** `session_activity` has a resolution of a second; a shorter silence could mix a person's keys with ours. */
const QUIET_MS = 2_000;

const GIVEN_BACK = "when the person at its terminal gives the keyboard back";
const STARTED_AGAIN = "when the program is started again in its folder";
const NOT_IN_FRONT: readonly GateRefusal[] = ["other-process", "other-command", "dead"];

/** The program is not the terminal's own process: when it ends, something else gets the next key. */
export function hasShellUnder({ identity }: LiveSession): boolean {
  return identity.agentPid !== identity.panePid;
}

export function expectationAt(
  session: LiveSession,
  observation: Observation,
  screen: Screen,
  keyboard?: GateExpectation["keyboard"],
): GateExpectation {
  const { gate } = session.profile;
  const cursor =
    observation.reading.kind === "composer"
      ? observation.reading.caret
      : { x: screen.cursor.x, y: screen.cursor.y };
  return {
    panePid: session.identity.panePid,
    // Learnt while the system said that the program was in front; never the name of what is in front now.
    ...present({ command: session.nameInFront }),
    // If the profile does not say, at least the same screen as the one read.
    alternate: gate.alternate ?? screen.alternate,
    ...present({ cursorHidden: gate.cursorHidden }),
    cursor,
    quietForMs: QUIET_MS,
    ...present({ keyboard }),
  };
}

/** For a key that stops or dismisses: people may be typing, unless one of them has taken the keyboard. */
export function breakingIn(session: LiveSession, observation: Observation, screen: Screen): GateExpectation {
  const { quietForMs, ...expectation } = expectationAt(session, observation, screen, "may-be-taken");
  return screen.mode === KEYBOARD_TAKEN && quietForMs !== undefined
    ? { ...expectation, quietForMs }
    : expectation;
}

export type Held = Extract<DeliveryOutcome, { kind: "hold" }>;

/** Nothing was typed: it waits for this, and is tried again after `afterMs`. */
export function holdFor(
  { clock, settings }: OfficeContext,
  reason: HoldReason,
  release: string,
  afterMs = settings().inputPollMs,
): Held {
  return { kind: "hold", reason, release, retryAt: clock.now() + afterMs };
}

/** Modes in which keys would go elsewhere, checked before anything is tried. */
export function holdForScreen(
  { screen, suspension }: Observation,
  context: OfficeContext,
  keyboard?: GateExpectation["keyboard"],
): Held | undefined {
  const hold = (reason: HoldReason, release: string) =>
    holdFor(context, reason, release, RETRY_AFTER_REFUSAL_MS);
  if (suspension !== undefined) return hold("suspended", BRING_IT_BACK);
  if (screen === undefined) return undefined;
  if (screen.dead) return hold("offline", STARTED_AGAIN);
  const isTaken = screen.mode === KEYBOARD_TAKEN;
  if (isTaken && keyboard !== "may-be-taken") return hold("attached", GIVEN_BACK);
  if (screen.mode !== "" && !isTaken) return hold("typing", `when its terminal leaves ${screen.mode}`);
  if (screen.synchronised)
    return hold("unknown", "when its terminal no longer copies keys to others (synchronize-panes)");
  if (screen.inputOff) return hold("unknown", "when its terminal takes keys again (select-pane -e)");
  return undefined;
}

/** For a message: nothing was typed, or that is unknown. */
export function notSent(
  outcome: Exclude<GateOutcome, { kind: "sent" }>,
  session: LiveSession,
  context: OfficeContext,
): DeliveryOutcome {
  if (outcome.kind !== "unknown") return refusalHold(outcome, session, context);
  return {
    kind: "unconfirmed",
    transport: "paste",
    note: `the terminal did not answer (${outcome.cause}): the text may be in`,
  };
}

/** For keys that carry no message: the delivery waits. */
export function refusalHold(
  outcome: Exclude<GateOutcome, { kind: "sent" }>,
  { record }: LiveSession,
  context: OfficeContext,
): Held {
  const hold = (reason: HoldReason, release: string) =>
    holdFor(context, reason, release, RETRY_AFTER_REFUSAL_MS);
  if (outcome.kind === "unknown")
    return hold("unknown", `when its terminal answers again (${outcome.cause})`);
  if (outcome.kind === "gone") return hold("offline", STARTED_AGAIN);
  const { because } = outcome;
  if (because.includes("unavailable")) return hold("unknown", "when its terminal can be asked again");
  if (because.includes("suspended")) return hold("suspended", BRING_IT_BACK);
  if (because.includes("attached")) return hold("attached", GIVEN_BACK);
  if (because.includes("typing"))
    return hold("typing", "when nobody has pressed a key there for two seconds");
  const why = because.join(", ");
  return because.some((refusal) => NOT_IN_FRONT.includes(refusal))
    ? hold("offline", `when ${record.program} is in front again (${why})`)
    : hold("typing", `when its screen stands still (${why})`);
}
