/** `POST /sessions/{id}/send`: accepted first, then briefly observed. */
import { sessionAddress } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import type { InputOf } from "../../wire/http/operations.ts";
import type { SendResponse, SentDelivery, ShownDelivery } from "../../wire/shapes/messages.ts";
import { unless } from "../caller/closing.ts";
import type { HttpCaller } from "./caller.ts";
import {
  answerQueued,
  answerUrgent,
  queuePosition,
  type SentAnswer,
  type UrgentAnswer,
} from "./send-answer.ts";

export const SEND_WAITS = {
  /** Time for the courier's first look, so that the answer can say why the message waits. */
  firstLookMs: 300,
  /** Time to learn the outcome of an urgent message. */
  outcomeMs: 30_000,
} as const;

export async function send(
  { parameters, body, idempotencyKey }: InputOf<"send">,
  caller: HttpCaller,
): Promise<SentAnswer | UrgentAnswer> {
  const to = parameters.session_id;
  const mode = body.delivery_mode ?? "sequential";
  // A path without subscribers would be kept as a dead letter; here it is simply not found.
  if (to.includes("/")) await caller.recipient(to);
  const sent = await caller.ask("send", {
    to,
    body: body.text,
    priority: mode,
    from: await senderFrom(body.sender_session_id ?? undefined, caller),
    timeoutMs: milliseconds(body.timeout_seconds),
    notifyOnDelivery: body.notify_on_delivery ?? undefined,
    notifyAfterMs: milliseconds(body.notify_after_seconds),
    anyWayIn: body.any_way_in ?? undefined,
    re: body.re ?? undefined,
    attachments: body.attachments ?? undefined,
    idempotencyKey,
  });
  const accepted = sent.deliveries[0];
  if (accepted === undefined) throw nobody(to, sent);
  if (mode === "urgent" || mode === "interrupt") {
    return answerUrgent(mode, sent, await lookAt(caller, sent, accepted, SEND_WAITS.outcomeMs));
  }
  const delivery = await lookAt(caller, sent, accepted, SEND_WAITS.firstLookMs);
  return answerQueued(mode, sent, delivery, await positionOf(caller, delivery));
}

/** An id that is unknown, or unknown at the moment, is used as it is; any other word must be a known sender. */
async function senderFrom(word: string | undefined, caller: HttpCaller): Promise<string | undefined> {
  if (word === undefined || !/^[0-9a-f-]{4,64}$/i.test(word)) return word;
  try {
    await caller.recipient(word);
  } catch (error) {
    if (error instanceof BellhopError && error.code === "recipient.unknown") return sessionAddress(word);
  }
  return word;
}

export function milliseconds(seconds: number | null | undefined): number | undefined {
  return seconds === null || seconds === undefined ? undefined : Math.round(seconds * 1_000);
}

/** The message is stored: if nothing more can be learned, the answer says what was known at acceptance. */
async function lookAt(
  caller: HttpCaller,
  { messageId: id }: SendResponse,
  accepted: SentDelivery,
  timeoutMs: number,
): Promise<SentDelivery & Pick<ShownDelivery, "interrupted">> {
  try {
    const shown = await unless(caller.closing.begun, caller.ask("verdict", { id, timeoutMs }), () =>
      caller.ask("show", { id }),
    );
    return shown.deliveries[0] ?? accepted;
  } catch {
    return accepted;
  }
}

async function positionOf(caller: HttpCaller, delivery: SentDelivery): Promise<number> {
  if (delivery.state !== "queued") return 0;
  try {
    return queuePosition(delivery.id, (await caller.recipient(delivery.to)).deliveries);
  } catch {
    return queuePosition(delivery.id, []);
  }
}

function nobody(to: string, { shortId }: SendResponse): BellhopError {
  return new BellhopError("recipient.unknown", {
    message: `Nobody takes messages to "${to}"; #${shortId} is kept as a dead letter.`,
    next: 'See who is there with "GET /sessions".',
  });
}
