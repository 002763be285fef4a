/**
 * Raw text and keys, unchanged. The only thing that may be typed into a dialog, and only into the one that was open
 * when it was sent. Called by the terminal endpoint under the lock; always alone in its batch.
 */

import { hostOfSpeaker } from "../../../core/cluster/speakers.ts";
import { isCode } from "../../../core/desk/reply-text.ts";
import type { Address } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import { essence } from "../../../core/text/whole-prompt.ts";
import type { Batch, DeliveryOutcome, Handover } from "../../../ports/endpoint.ts";
import type { GateExpectation, GateOutcome, Stroke } from "../../../ports/terminal.ts";
import { pause } from "../../base/deadline.ts";
import type { Observation } from "../../presence/observation.ts";
import {
  expectationAt,
  hasShellUnder,
  holdFor,
  holdForScreen,
  notSent,
  refusalHold,
} from "../gatekeeping.ts";
import { composerText } from "../proof.ts";
import type { RungParts } from "./rung.ts";

const EFFECT_MS = 3_000;
/** What becomes of an answer to a dialog that was answered otherwise. */
export const DIALOG_OVER = "the dialog it was sent for is closed: nothing was typed";
/** A code may be mistyped too. */
const NO_SUCH_DIALOG =
  "no open dialog has this code: it was answered or has changed, or Bellhop was restarted there; nothing was typed";
const ANSWERED_BEFORE = "that dialog was answered already, by keys with the same code: nothing was typed";

export async function deliverRaw(
  parts: RungParts,
  batch: Batch,
  handover: Handover,
): Promise<DeliveryOutcome> {
  const { session, context } = parts;
  const item = batch.items[0];
  if (item === undefined || item.message.form.kind !== "raw")
    return holdFor(parts.context, "unknown", "nothing raw to deliver");
  const { form, body, shortId, from } = item.message;
  const barred = barredHost(parts, from);
  if (barred !== undefined) return barred;
  const observation = await session.observe();
  const held = holdForScreen(observation, context) ?? mayGoIn(parts, observation, form.dialog);
  if (held !== undefined) return held;
  const { screen } = observation;
  if (screen === undefined) return holdFor(parts.context, "unknown", "when its screen can be read");
  const expectation = expectationAt(session, observation, screen);
  const dry = await session.terminal.gate(expectation, []);
  if (dry.kind !== "sent") return refusalHold(dry, session, context);
  await handover.begin({
    transport: "paste",
    token: `raw:${shortId}`,
    promptDigest: context.digest(body),
    wasBusy: false,
    ...present({ screenDigest: observation.digest }),
  });
  const isAnswer = observation.reading.kind === "dialog";
  if (isAnswer) session.openDialog.pressed();
  context.checkpoint("paste.before-keys");
  const outcome = await typeRaw(parts, observation, expectation, body, form.keys);
  context.checkpoint("paste.after-keys");
  if (outcome.kind === "unconfirmed") return outcome;
  if (outcome.kind !== "sent") {
    if (isAnswer && outcome.kind !== "unknown") session.openDialog.notPressed();
    return notSent(outcome, session, context);
  }
  if (form.keys.length > 0) session.signal({ kind: "handed-over", at: context.clock.now() });
  const effect = await session.watch(({ digest }) => digest !== undefined && digest !== observation.digest, {
    timeoutMs: EFFECT_MS,
  });
  return effect === undefined
    ? { kind: "unconfirmed", transport: "paste", note: "typed, but the screen did not change" }
    : { kind: "delivered", transport: "paste", evidence: "screen" };
}

/**
 * Text and keys in one step, or in two if a shell could take the Enter of a program that has just ended, or if the
 * program needs a pause: then the keys follow only once the text is seen in the composer.
 */
async function typeRaw(
  parts: RungParts,
  observation: Observation,
  expectation: GateExpectation,
  body: string,
  keys: readonly string[],
): Promise<GateOutcome | Extract<DeliveryOutcome, { kind: "unconfirmed" }>> {
  const { session, context } = parts;
  const paste = pasteFor(parts, observation, body);
  const delayMs = session.profile.rawKeysDelayMs;
  const atOnce =
    observation.reading.kind !== "composer" ||
    body === "" ||
    keys.length === 0 ||
    (delayMs === undefined && !hasShellUnder(session));
  if (atOnce) return session.terminal.gate(expectation, strokesOf(body, keys, paste));
  const [text, ...rest] = strokesOf(body, keys, paste);
  const typed = await session.terminal.gate(expectation, text === undefined ? [] : [text]);
  if (typed.kind !== "sent") return typed;
  const seenAlone = () =>
    session.watch((seen) => composerText(seen) === essence(body), { timeoutMs: EFFECT_MS });
  let shown = await seenAlone();
  if (shown !== undefined && delayMs !== undefined) {
    await pause(context.clock, delayMs);
    shown = await seenAlone();
  }
  const pressed =
    shown?.screen === undefined
      ? undefined
      : await session.terminal.gate(expectationAt(session, shown, shown.screen), rest);
  if (pressed?.kind === "sent") return pressed;
  return {
    kind: "unconfirmed",
    transport: "paste",
    note: "the text was typed, its keys were not: it was not seen alone in the composer",
  };
}

function strokesOf(body: string, keys: readonly string[], paste: "plain" | "bracketed"): readonly Stroke[] {
  const bracketed = paste === "bracketed" && keys.length > 0;
  const text: readonly Stroke[] = body === "" ? [] : [{ kind: "paste", text: body, bracketed }];
  return [...text, ...keys.map((name): Stroke => ({ kind: "key", name }))];
}

/** A dialog takes only keys, and control characters are sent as keys. */
function pasteFor({ session }: RungParts, { reading }: Observation, body: string) {
  return reading.kind === "composer" && !/\p{Cc}/u.test(body) ? session.profile.rawText : "plain";
}

/** Its right may have been taken away while the keys waited. Without a cluster nobody knows: it may not be open yet. */
function barredHost({ context, neighbours }: RungParts, from: Address): DeliveryOutcome | undefined {
  const host = hostOfSpeaker(from);
  if (host === undefined || neighbours.mayPress(host)) return undefined;
  if (neighbours.current === undefined)
    return holdFor(context, "unknown", `when this host is in a cluster, and ${host} may press keys here`);
  return { kind: "failed", note: `${host} may not press keys here any more: nothing was typed` };
}

function mayGoIn(
  parts: RungParts,
  observation: Observation,
  dialog: string | undefined,
): DeliveryOutcome | undefined {
  const { reading } = observation;
  if (reading.kind === "unknown")
    return holdFor(parts.context, "unknown", `when its screen can be read (${reading.why})`);
  if (reading.kind === "dialog") {
    if (dialog !== undefined) return parts.session.openDialog.is(dialog) ? undefined : overFor(parts, dialog);
    return holdFor(
      parts.context,
      "blocked",
      "when this dialog is answered: the raw text was not sent for it",
    );
  }
  if (dialog !== undefined) return overFor(parts, dialog);
  if (reading.draft.kind === "text")
    return holdFor(parts.context, "typing", "when the text in its composer is sent or removed");
  return undefined;
}

/** If it waited, it would answer the next dialog that reads the same, and block everything behind it. */
function overFor({ session }: RungParts, dialog: string): DeliveryOutcome {
  if (session.openDialog.wasUsed(dialog)) return { kind: "failed", note: ANSWERED_BEFORE };
  return { kind: "failed", note: isCode(dialog) ? NO_SUCH_DIALOG : DIALOG_OVER };
}
