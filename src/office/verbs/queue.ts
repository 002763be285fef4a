import { isOutlet } from "../../core/outside/places.ts";
import type { UseCasesOf } from "../../wire/verbs/index.ts";
import type { queues } from "../../wire/verbs/queue.ts";
import { discardForPerson, restoreForPerson } from "../typing/drafts/for-person.ts";
import { sentDelivery } from "../views/shown.ts";
import type { UseCaseParts } from "./parts.ts";

export function queueVerbs(parts: UseCaseParts): UseCasesOf<typeof queues> {
  const { queries, changes, couriers, restoring, directory, context } = parts;
  return {
    queue: async ({ who }) => queries.queue(who),
    queue_change: async (request) => {
      const delivery = await changes.change(request);
      parts.released(delivery.to);
      return { deliveries: [sentDelivery(delivery)] };
    },
    queue_clear: async ({ who, why }) => {
      const { address, mailboxes } = isOutlet(who)
        ? { address: who, mailboxes: [who] }
        : parts.mailboxes.named(who);
      return { who: address, deliveries: (await changes.clear(mailboxes, why)).map(sentDelivery) };
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
