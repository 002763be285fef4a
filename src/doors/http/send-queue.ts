/** `GET /sessions/{id}/send-queue`: what waits for one session, in the words of its first users. */
import type { z } from "zod";
import { splitAddress } from "../../core/address.ts";
import { LADDER } from "../../core/priority.ts";
import type { sendQueueAnswer } from "../../wire/http/answers.ts";
import type { DELIVERY_MODES } from "../../wire/http/fields.ts";
import type { QueuedDelivery } from "../../wire/shapes/messages.ts";
import type { ShownSession } from "../../wire/shapes/sessions.ts";
import { holdInIsoTime, isoTime } from "./send-answer.ts";

type SendQueue = z.output<typeof sendQueueAnswer>;

export function sendQueue({ sessionId, agent, readiness, deliveries, drafts }: ShownSession): SendQueue {
  const pending = deliveries.filter(({ state }) => state === "queued");
  const newest = drafts.toSorted((a, b) => b.keptAt - a.keptAt)[0];
  return {
    // An agent without a program is addressed by its name.
    session_id: sessionId ?? agent,
    is_idle: readiness === "idle",
    pending_count: pending.length,
    pending_messages: pending.map(pendingMessage),
    saved_user_input: newest?.text ?? null,
  };
}

function pendingMessage(delivery: QueuedDelivery): SendQueue["pending_messages"][number] {
  const { messageId, from, queuedAt, timeoutAt, priority, hold } = delivery;
  return {
    id: messageId,
    sender: splitAddress(from).rest,
    queued_at: isoTime(queuedAt),
    timeout_at: timeoutAt === undefined ? null : isoTime(timeoutAt),
    delivery_mode: (LADDER[priority].aliases[0] ?? priority) as (typeof DELIVERY_MODES)[number],
    ...(hold === undefined ? {} : { hold: holdInIsoTime(hold) }),
  };
}
