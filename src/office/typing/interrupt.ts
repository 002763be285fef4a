/**
 * Makes way for an `interrupt`: one press of the profile's key per running turn, one dismissal per dialog. Called by
 * the terminal endpoint under the lock. It never presses a key on a screen it cannot read, and never Ctrl+C.
 */
import type { DeliveryId } from "../../core/message.ts";
import { isResponseOver } from "../../core/readiness/readiness.ts";
import { showsWork } from "../../core/readiness/reading.ts";
import type { Screen } from "../../core/readiness/screen.ts";
import { type ShownSign, signInRow } from "../../core/readiness/shown-sign.ts";
import type { TurnSign } from "../../core/readiness/turn-sign.ts";
import { mayDismiss } from "../../core/rights/rights.ts";
import type { DeliveryOutcome } from "../../ports/endpoint.ts";
import type { Item } from "../../ports/store.ts";
import type { GateExpectation, Stroke } from "../../ports/terminal.ts";
import type { OfficeContext } from "../base/context.ts";
import { pause } from "../base/deadline.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { Observation } from "../presence/observation.ts";
import { breakingIn, holdFor, holdForScreen, refusalHold } from "./gatekeeping.ts";

type Dialog = Extract<Observation["reading"], { kind: "dialog" }>;

const WAIT_FOR_IDLE_MS = 5_000;
const MOST_PRESSES = 3;
/** Two Escapes in quick succession count as another key. */
const BETWEEN_PRESSES_MS = 2_000;
const MOST_LOOKS = 5;

/** Why an agent's interrupt waits for a dialog. */
export const MAY_NOT_DISMISS =
  'when its dialog is answered: whoever sent this has no right to dismiss it ("dismiss")';

/** Undefined if the program is ready for the message; otherwise why it is not. */
export async function breakIn(
  session: LiveSession,
  context: OfficeContext,
  items: readonly Item[],
): Promise<DeliveryOutcome | undefined> {
  const deliveries = items.map(({ delivery }) => delivery.id);
  const observation = await session.observe();
  const held = holdForScreen(observation, context, "may-be-taken");
  if (held !== undefined) return held;
  const readiness = session.queueReadiness();
  const { kind } = readiness;
  if (observation.reading.kind === "unknown" && !showsWork(observation.reading)) {
    return holdFor(context, "unknown", `when its screen can be read (${observation.reading.why})`);
  }
  if (observation.reading.kind === "dialog") {
    const { rights } = context.settings();
    if (!items.some(({ message }) => mayDismiss(message, rights)))
      return holdFor(context, "blocked", MAY_NOT_DISMISS);
    return dismiss(session, context, observation, observation.reading, deliveries);
  }
  if (isResponseOver(readiness)) return undefined;
  if (kind !== "busy")
    return holdFor(
      context,
      kind === "blocked" ? "blocked" : "unknown",
      `when it is ready: ${session.readiness().because}`,
    );
  return press(session, context, deliveries);
}

/**
 * One press per turn: a second Escape opens the rewind dialog. Another turn may be one that the program took from its
 * own queue when the first was stopped.
 */
function mayPress(session: LiveSession, deliveries: readonly DeliveryId[]): boolean {
  const presses = Math.min(...deliveries.map((id) => session.pressedFor.get(id) ?? 0));
  if (presses === 0) return true;
  return (
    presses < MOST_PRESSES && (session.profile.interrupt?.repeatable === true || session.lastPress.isPast)
  );
}

async function dismiss(
  session: LiveSession,
  context: OfficeContext,
  observation: Observation,
  { fingerprint, title }: Dialog,
  deliveries: readonly DeliveryId[],
): Promise<DeliveryOutcome | undefined> {
  const keys = session.profile.dismiss;
  const { screen } = observation;
  if (keys === undefined || screen === undefined)
    return holdFor(context, "blocked", "when its dialog is answered");
  const presses = deliveries.map((id) => `${id} ${fingerprint}`);
  // One press per delivery and dialog: if it did not close, another press may do something else.
  if (presses.every((press) => session.dismissedFor.has(press)))
    return holdFor(context, "blocked", "when its dialog is answered: it did not close");
  const expectation = showing(breakingIn(session, observation, screen), titleSign(screen, title));
  const outcome = await session.terminal.gate(expectation, keys);
  if (outcome.kind === "refused" || outcome.kind === "gone") return refusalHold(outcome, session, context);
  for (const press of presses) session.dismissedFor.add(press);
  const after = await session.watch(({ reading }) => reading.kind === "composer", {
    timeoutMs: WAIT_FOR_IDLE_MS,
  });
  if (after === undefined) {
    const now = await session.observe();
    const same = now.reading.kind === "dialog" && now.reading.fingerprint === fingerprint;
    return holdFor(
      context,
      "blocked",
      same ? "when its dialog is answered: it did not close" : "when its screen shows the composer again",
    );
  }
  session.signal({ kind: "interrupted", at: context.clock.now() });
  for (const id of deliveries) session.stoppedFor.add(id);
  return untilIdle(session, context);
}

async function press(
  session: LiveSession,
  context: OfficeContext,
  deliveries: readonly DeliveryId[],
): Promise<DeliveryOutcome | undefined> {
  const key = session.profile.interrupt;
  if (!mayPress(session, deliveries)) return untilIdle(session, context);
  for (let look = 0; look < MOST_PRESSES && mayPress(session, deliveries); look += 1) {
    const signOf = signsOfTurn(session, context);
    // Nothing to stop yet if it is settling, the screen has just changed, or what was handed over is not shown yet.
    const seen = await session.watch(
      (now) => isIdle(session, now) || (isApart(session, context) && signOf(now) !== undefined),
      { timeoutMs: WAIT_FOR_IDLE_MS },
    );
    if (seen === undefined)
      return holdFor(context, "busy", "when its turn ends, or its screen shows one to stop");
    if (isIdle(session, seen)) {
      if (await staysIdle(session, context)) return undefined;
      continue;
    }
    if (key === undefined)
      return holdFor(context, "busy", "when its turn ends: this program has no interrupt key");
    const outcome = await pressOnce(session, context, key.strokes, signOf);
    if (outcome === "no-turn") return untilIdle(session, context);
    if (outcome !== "pressed") return outcome;
    for (const id of deliveries) session.pressedFor.set(id, (session.pressedFor.get(id) ?? 0) + 1);
    const after = await session.watch((now) => isIdle(session, now) || session.lastPress.isPast, {
      timeoutMs: key.againMs ?? WAIT_FOR_IDLE_MS,
    });
    if (after === undefined || !isIdle(session, after)) continue;
    for (const id of deliveries) session.stoppedFor.add(id);
    if (await staysIdle(session, context)) return undefined;
  }
  return holdFor(context, "busy", "when its turn ends: the interrupt key did not stop it");
}

/** If the clock was set back, the time of the last press is unknown. */
function isApart({ lastPress, profile }: LiveSession, { clock }: OfficeContext): boolean {
  const sinceMs = clock.now() - lastPress.at;
  return sinceMs < 0 || sinceMs >= (profile.interrupt?.againMs ?? BETWEEN_PRESSES_MS);
}

type SignOf = (observation: Observation) => TurnSign | undefined;

function signsOfTurn(session: LiveSession, { clock }: OfficeContext): SignOf {
  const since = clock.monotonic();
  return ({ reading }) => session.turnSign(reading, clock.monotonic() - since);
}

/**
 * A streaming screen may move the composer between the reading and the gate: read again, a few times. Each reading must
 * itself justify the key.
 */
async function pressOnce(
  session: LiveSession,
  context: OfficeContext,
  strokes: readonly Stroke[],
  signOf: SignOf,
): Promise<"pressed" | "no-turn" | DeliveryOutcome> {
  let refused: DeliveryOutcome | undefined;
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const seen = await session.observe();
    const sign = signOf(seen);
    if (seen.screen === undefined || (sign === undefined && seen.reading.kind !== "composer"))
      return holdFor(context, "blocked", "when its screen shows the composer again");
    if (sign === undefined) return "no-turn";
    const shown = session.profile.workSign(seen.screen);
    const expectation = showing(breakingIn(session, seen, seen.screen), shown);
    const at = context.clock.now();
    const outcome = await session.terminal.gate(expectation, strokes);
    // Without an answer the key may have been pressed, and a second press is not safe.
    if (outcome.kind === "sent" || outcome.kind === "unknown") {
      session.signal({ kind: "interrupted", at });
      context.log.info("interrupt.pressed", { session: session.record.id, sign });
      return "pressed";
    }
    refused = refusalHold(outcome, session, context);
  }
  return refused ?? "no-turn";
}

/** What justifies the key must be shown at the press as it was at the reading. */
function showing(expectation: GateExpectation, sign: ShownSign | undefined): GateExpectation {
  return sign === undefined ? expectation : { ...expectation, sign };
}

function titleSign(screen: Screen, title: string): ShownSign | undefined {
  const y = screen.lines.findIndex(({ text }) => text.includes(title));
  return y === -1 ? undefined : signInRow(screen, y, title);
}

async function untilIdle(session: LiveSession, context: OfficeContext): Promise<DeliveryOutcome | undefined> {
  const idle = await session.watch((now) => isIdle(session, now), { timeoutMs: WAIT_FOR_IDLE_MS });
  const stays = idle !== undefined && (await staysIdle(session, context));
  return stays ? undefined : holdFor(context, "busy", "when its turn ends");
}

function isIdle(session: LiveSession, { reading }: Observation): boolean {
  return reading.kind === "composer" && reading.busy !== "busy" && isResponseOver(session.queueReadiness());
}

/** Once a turn was stopped, the program may start on what is in its own inbox. */
async function staysIdle(session: LiveSession, context: OfficeContext): Promise<boolean> {
  await pause(context.clock, context.settings().urgentDelayMs);
  return isIdle(session, await session.observe());
}
