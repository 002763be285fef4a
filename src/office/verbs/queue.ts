import { hostOfMailbox } from "../../core/cluster/hosts.ts";
import type { Delivery } from "../../core/message.ts";
import { isOutlet } from "../../core/outside/places.ts";
import type { SentDelivery } from "../../wire/shapes/messages.ts";
import type { UseCasesOf } from "../../wire/verbs/index.ts";
import type { queues } from "../../wire/verbs/queue.ts";
import { discardForPerson, restoreForPerson } from "../typing/drafts/for-person.ts";
import { sentDelivery } from "../views/shown.ts";
import type { UseCaseParts } from "./parts.ts";

export function queueVerbs(parts: UseCaseParts): UseCasesOf<typeof queues> {
  const { queries, changes, couriers, restoring, directory, context } = parts;
  // Only of what goes to another host the message says more than its mailbox.
  const told = (delivery: Delivery): SentDelivery => {
    const { to } = delivery;
    const message =
      hostOfMailbox(to) === undefined ? undefined : context.store.read.message(delivery.messageId);
    return sentDelivery(delivery, message ?? { to });
  };
  return {
    queue: async ({ who }) => queries.queue(who),
    queue_change: async (request) => {
      const delivery = await changes.change(request);
      parts.released(delivery.to);
      return { deliveries: [told(delivery)] };
    },
    queue_clear: async ({ who, why }) => {
      const { address, mailboxes } =
        isOutlet(who) || hostOfMailbox(who) !== undefined
          ? { address: who, mailboxes: [who] }
          : parts.mailboxes.named(who);
      return { who: address, deliveries: (await changes.clear(mailboxes, why)).map(told) };
    },
    pause: async ({ who, paused }) => {
      const agent = await changes.pause(who, paused);
      couriers.wakeAll();
      parts.turns.reconsider();
      return { agent, paused };
    },
    draft_show: async ({ who }) => ({ drafts: queries.drafts(who) }),
    draft_restore: async ({ who }) => ({
      draft: queries.draft(await restoreForPerson(context, restoring, directory.resolveLive(who))),
    }),
    draft_discard: async ({ who, id }) => {
      const drafts = await discardForPerson(context, queries.sessionsMeant(who), id);
      return { drafts: drafts.map((draft) => queries.draft(draft)) };
    },
  };
}
