/** What the final gate must find, and what its refusals mean for the one who waits. Used by everything that types. */

import { present } from "../../core/present.ts";
import { RETRY_AFTER_REFUSAL_MS } from "../../core/readiness/guard.ts";
import { KEYBOARD_TAKEN, type Screen } from "../../core/readiness/screen.ts";
import { BRING_IT_BACK } from "../../core/readiness/standing.ts";
import type { DeliveryOutcome } from "../../ports/endpoint.ts";
import type { GateExpectation, GateOutcome } from "../../ports/terminal.ts";
import type { OfficeContext } from "../base/context.ts";
import type { LiveSession, Observation } from "../presence/live-session.ts";

/** `session_activity` has whole seconds; less silence than this mixes a person's keys with ours. */
const QUIET_MS = 2_000;

const GIVEN_BACK = "when the person at its terminal gives the keyboard back";

/** The program is not the terminal's own process: when it ends, something else takes the next key. */
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
    // Learnt while the system said that the program stands in front; never what happens to be in front now.
    ...present({ command: session.nameInFront }),
    // Where the profile does not say, it must at least be the screen that was read.
    alternate: gate.alternate ?? screen.alternate,
    ...present({ cursorHidden: gate.cursorHidden }),
    cursor,
    quietForMs: QUIET_MS,
    ...present({ keyboard }),
  };
}

/** For a key that stops or dismisses: people may type meanwhile, unless one of them has the keyboard to themself. */
export function breakingIn(session: LiveSession, observation: Observation, screen: Screen): GateExpectation {
  const { quietForMs, ...expectation } = expectationAt(session, observation, screen, "may-be-taken");
  return screen.mode === KEYBOARD_TAKEN && quietForMs !== undefined
    ? { ...expectation, quietForMs }
    : expectation;
}

/** Modes in which keys go astray, seen before anything is tried. */
export function holdForScreen(
  observation: Observation,
  context: OfficeContext,
  keyboard?: GateExpectation["keyboard"],
): DeliveryOutcome | undefined {
  const { screen, suspension } = observation;
  const hold = (
    reason: "attached" | "typing" | "unknown" | "offline" | "suspended",
    release: string,
  ): DeliveryOutcome => ({
    kind: "hold",
    reason,
    release,
    retryAt: context.clock.now() + RETRY_AFTER_REFUSAL_MS,
  });
  if (suspension !== undefined) return hold("suspended", BRING_IT_BACK);
  if (screen === undefined) return undefined;
  if (screen.dead) return hold("offline", "when the program is started again in its folder");
  const isTaken = screen.mode === KEYBOARD_TAKEN;
  if (isTaken && keyboard !== "may-be-taken") return hold("attached", GIVEN_BACK);
  if (screen.mode !== "" && !isTaken) return hold("typing", `when its terminal leaves ${screen.mode}`);
  if (screen.synchronised)
    return hold("unknown", "when its terminal no longer copies keys to others (synchronize-panes)");
  if (screen.inputOff) return hold("unknown", "when its terminal takes keys again (select-pane -e)");
  return undefined;
}

/** A message was to go in: nothing was typed, or it cannot be known. */
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

/** No text of a message was at stake: it waits. */
export function refusalHold(
  outcome: Exclude<GateOutcome, { kind: "sent" }>,
  session: LiveSession,
  context: OfficeContext,
): Extract<DeliveryOutcome, { kind: "hold" }> {
  const retryAt = context.clock.now() + RETRY_AFTER_REFUSAL_MS;
  if (outcome.kind === "unknown") {
    return {
      kind: "hold",
      reason: "unknown",
      release: `when its terminal answers again (${outcome.cause})`,
      retryAt,
    };
  }
  if (outcome.kind === "gone") {
    return {
      kind: "hold",
      reason: "offline",
      release: "when the program is started again in its folder",
      retryAt,
    };
  }
  const { because } = outcome;
  if (because.includes("unavailable")) {
    return { kind: "hold", reason: "unknown", release: "when its terminal can be asked again", retryAt };
  }
  if (because.includes("suspended"))
    return { kind: "hold", reason: "suspended", release: BRING_IT_BACK, retryAt };
  if (because.includes("attached")) return { kind: "hold", reason: "attached", release: GIVEN_BACK, retryAt };
  if (because.includes("typing")) {
    return {
      kind: "hold",
      reason: "typing",
      release: "when nobody has pressed a key there for two seconds",
      retryAt,
    };
  }
  if (because.includes("other-process") || because.includes("other-command") || because.includes("dead")) {
    return {
      kind: "hold",
      reason: "offline",
      release: `when ${session.record.program} is in front again (${because.join(", ")})`,
      retryAt,
    };
  }
  return {
    kind: "hold",
    reason: "typing",
    release: `when its screen stands still (${because.join(", ")})`,
    retryAt,
  };
}
