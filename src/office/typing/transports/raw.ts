/**
 * Raw text and keys, unchanged. The only thing that may be typed into a dialog, and only into the one that was open
 * when it was sent. Called by the terminal endpoint under the lock; always alone in its batch.
 */

import { present } from "../../../core/present.ts";
import { essence } from "../../../core/text/whole-prompt.ts";
import type { Batch, DeliveryOutcome, Handover } from "../../../ports/endpoint.ts";
import type { GateExpectation, GateOutcome, Stroke } from "../../../ports/terminal.ts";
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

export async function deliverRaw(
  parts: RungParts,
  batch: Batch,
  handover: Handover,
): Promise<DeliveryOutcome> {
  const { session, context } = parts;
  const item = batch.items[0];
  if (item === undefined || item.message.form.kind !== "raw")
    return holdFor(parts.context, "unknown", "nothing raw to deliver");
  const { form, body, shortId } = item.message;
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
  context.checkpoint("paste.before-keys");
  const outcome = await typeRaw(parts, observation, expectation, body, form.keys);
  context.checkpoint("paste.after-keys");
  if (outcome.kind === "unconfirmed") return outcome;
  if (outcome.kind !== "sent") return notSent(outcome, session, context);
  if (form.keys.length > 0) session.signal({ kind: "handed-over", at: context.clock.now() });
  const effect = await session.watch(({ digest }) => digest !== undefined && digest !== observation.digest, {
    timeoutMs: EFFECT_MS,
  });
  return effect === undefined
    ? { kind: "unconfirmed", transport: "paste", note: "typed, but the screen did not change" }
    : { kind: "delivered", transport: "paste", evidence: "screen" };
}

/**
 * Text and keys in one step, or in two if a shell could take the Enter of a program that has just ended: then the keys
 * follow only once the text is seen in the composer.
 */
async function typeRaw(
  parts: RungParts,
  observation: Observation,
  expectation: GateExpectation,
  body: string,
  keys: readonly string[],
): Promise<GateOutcome | Extract<DeliveryOutcome, { kind: "unconfirmed" }>> {
  const { session } = parts;
  const paste = pasteFor(parts, observation, body);
  const atOnce =
    observation.reading.kind !== "composer" || body === "" || keys.length === 0 || !hasShellUnder(session);
  if (atOnce) return session.terminal.gate(expectation, strokesOf(body, keys, paste));
  const [text, ...rest] = strokesOf(body, keys, paste);
  const typed = await session.terminal.gate(expectation, text === undefined ? [] : [text]);
  if (typed.kind !== "sent") return typed;
  const shown = await session.watch((seen) => composerText(seen) === essence(body), {
    timeoutMs: EFFECT_MS,
  });
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

function mayGoIn(
  parts: RungParts,
  observation: Observation,
  dialog: string | undefined,
): DeliveryOutcome | undefined {
  const { reading } = observation;
  if (reading.kind === "unknown")
    return holdFor(parts.context, "unknown", `when its screen can be read (${reading.why})`);
  if (reading.kind === "dialog") {
    if (dialog === reading.fingerprint) return undefined;
    if (dialog !== undefined) return OVER;
    return holdFor(
      parts.context,
      "blocked",
      "when this dialog is answered: the raw text was not sent for it",
    );
  }
  if (dialog !== undefined) return OVER;
  if (reading.draft.kind === "text")
    return holdFor(parts.context, "typing", "when the text in its composer is sent or removed");
  return undefined;
}

/** If it waited, it would answer the next dialog that reads the same, and block everything behind it. */
const OVER: DeliveryOutcome = { kind: "failed", note: DIALOG_OVER };
