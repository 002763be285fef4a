/** Composes the broker: subscriptions, mailboxes, listeners. */
import type { Ground } from "../presence/ground.ts";
import { Listeners, type ListenersParts } from "./listeners.ts";
import { Mailboxes } from "./mailboxes.ts";
import { Subscriptions } from "./subscriptions.ts";

export type BrokerRoom = ReturnType<typeof brokerRoom>;

export function brokerRoom(ground: Ground, told: Pick<ListenersParts, "released">) {
  return {
    subscriptions: new Subscriptions(ground.context),
    listeners: new Listeners({ ...ground, ...told }),
    mailboxes: new Mailboxes(ground),
  };
}
