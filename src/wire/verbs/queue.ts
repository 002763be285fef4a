/** What waits, and the drafts that were set aside for it. */
import { z } from "zod";
import type { Address, AgentName } from "../../core/message.ts";
import { mailboxOf, queue, toHurry } from "../../core/rights/needs.ts";
import type { QueuedDelivery, SentDelivery } from "../shapes/messages.ts";
import type { ShownDraft } from "../shapes/sessions.ts";
import { address, id, line, REQUEST_LIMITS } from "./fields.ts";
import { typed, verb } from "./verb.ts";

export const queues = {
  queue: verb(
    z.strictObject({ who: address.exactOptional() }),
    typed<{
      readonly deliveries: readonly QueuedDelivery[];
      readonly drafts: readonly ShownDraft[];
    }>(),
    ({ who }) => queue(mailboxOf(who)),
  ),
  queue_change: verb(
    z
      .strictObject({
        id,
        change: z.enum(["cancel", "now", "hold", "move", "priority"]),
        /** With `move`: it also gets that one's priority. */
        before: id.exactOptional(),
        priority: line(REQUEST_LIMITS.keyNameCharacters).exactOptional(),
      })
      .refine((request) => (request.change === "move") === (request.before !== undefined), {
        error: 'belongs to "change": "move", which needs it',
        path: ["before"],
      })
      .refine((request) => (request.change === "priority") === (request.priority !== undefined), {
        error: 'belongs to "change": "priority", which needs it',
        path: ["priority"],
      }),
    typed<{ readonly deliveries: readonly SentDelivery[] }>(),
    // Taking back what one sent, or sending it otherwise, is one's own affair; everything else belongs to whoever's
    // queue it waits in.
    ({ id: delivery, change, priority }) => [
      ...queue({ kind: change === "cancel" || change === "priority" ? "sent" : "delivery", id: delivery }),
      ...toHurry(priority),
    ],
  ),
  /** Cancels everything that waits for one. */
  queue_clear: verb(
    z.strictObject({ who: address }),
    typed<{ readonly who: Address; readonly deliveries: readonly SentDelivery[] }>(),
    ({ who }) => queue(mailboxOf(who)),
  ),
  pause: verb(
    z.strictObject({ who: address, paused: z.boolean() }),
    typed<{ readonly agent: AgentName; readonly paused: boolean }>(),
    ({ who }) => queue(mailboxOf(who)),
  ),
  // A draft even in one's own terminal: it is the person's text.
  draft_show: verb(
    z.strictObject({ who: address }),
    typed<{ readonly drafts: readonly ShownDraft[] }>(),
    () => queue(),
  ),
  draft_restore: verb(z.strictObject({ who: address }), typed<{ readonly draft: ShownDraft }>(), () =>
    queue(),
  ),
};
