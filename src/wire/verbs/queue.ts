/** Waiting messages, and the drafts that were set aside for them. */
import { z } from "zod";
import type { Address, AgentName } from "../../core/message.ts";
import { mailboxOf, queue, toHurry } from "../../core/rights/needs.ts";
import type { QueuedDelivery, SentDelivery } from "../shapes/messages.ts";
import type { ShownDraft } from "../shapes/sessions.ts";
import { address, id, line, REQUEST_LIMITS } from "./fields.ts";
import { typed, verb } from "./verb.ts";

const KIND_OF: Readonly<Partial<Record<string, "sent" | "release">>> = {
  cancel: "sent",
  priority: "sent",
  now: "release",
  unhold: "release",
};

export const QUEUE_CHANGES = ["cancel", "now", "hold", "unhold", "move", "priority"] as const;

/** A move names one other message; nothing else names any. */
export function namesItsPlace(request: {
  readonly change: string;
  readonly before?: string;
  readonly after?: string;
}): boolean {
  const named = [request.before, request.after].filter((one) => one !== undefined).length;
  return named === (request.change === "move" ? 1 : 0);
}
export const PLACE_MISSING = {
  error: 'or "after" belongs to "change": "move", which needs one of them',
  path: ["before"],
};

export const queues = {
  queue: verb(
    () => z.strictObject({ who: address.exactOptional() }),
    typed<{
      readonly deliveries: readonly QueuedDelivery[];
      readonly drafts: readonly ShownDraft[];
    }>(),
    ({ who }) => queue(mailboxOf(who)),
  ),
  queue_change: verb(
    () =>
      z
        .strictObject({
          id,
          /** `unhold` takes back `hold` and `now`. */
          change: z.enum(QUEUE_CHANGES),
          /** With `move`, one of the two: it also takes on that message's priority. */
          before: id.exactOptional(),
          after: id.exactOptional(),
          priority: line(REQUEST_LIMITS.keyNameCharacters).exactOptional(),
        })
        .refine(namesItsPlace, PLACE_MISSING)
        .refine((request) => (request.change === "priority") === (request.priority !== undefined), {
          error: 'belongs to "change": "priority", which needs it',
          path: ["priority"],
        }),
    typed<{ readonly deliveries: readonly SentDelivery[] }>(),
    // Senders may take back or change what they sent themselves; everything else is up to the owner of the queue in
    // which it waits.
    ({ id: delivery, change, priority }) => [
      ...queue({ kind: KIND_OF[change] ?? "delivery", id: delivery }),
      ...toHurry(priority),
    ],
  ),
  /** Cancels everything that waits for one recipient, or to go out through one bridge (`bridge/telegram`). */
  queue_clear: verb(
    () =>
      z.strictObject({
        who: address,
        /** For the receipts. */
        why: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
      }),
    typed<{ readonly who: Address; readonly deliveries: readonly SentDelivery[] }>(),
    ({ who }) => queue(mailboxOf(who)),
  ),
  pause: verb(
    () => z.strictObject({ who: address, paused: z.boolean() }),
    typed<{ readonly agent: AgentName; readonly paused: boolean }>(),
    ({ who }) => queue(mailboxOf(who)),
  ),
  // Needed even in one's own terminal: a draft is the person's text.
  draft_show: verb(
    () => z.strictObject({ who: address }),
    typed<{ readonly drafts: readonly ShownDraft[] }>(),
    () => queue(),
  ),
  draft_restore: verb(
    () => z.strictObject({ who: address }),
    typed<{ readonly draft: ShownDraft }>(),
    () => queue(),
  ),
  /** Without an id: all that are left to the person. */
  draft_discard: verb(
    () => z.strictObject({ who: address, id: id.exactOptional() }),
    typed<{ readonly drafts: readonly ShownDraft[] }>(),
    () => queue(),
  ),
};
