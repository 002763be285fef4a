/** Composes the broker: subscriptions, mailboxes, listeners, and who hears and writes to whom. */
import type { Ground } from "../presence/ground.ts";
import { Hearing } from "./hearing.ts";
import { Listeners, type ListenersParts } from "./listeners.ts";
import { Mailboxes } from "./mailboxes.ts";
import { Subscriptions } from "./subscriptions.ts";
import { TrafficCount } from "./traffic.ts";

export type BrokerRoom = ReturnType<typeof brokerRoom>;

export function brokerRoom(ground: Ground, told: Pick<ListenersParts, "released" | "changed">) {
  const hearing = new Hearing(ground, () => listeners.heard());
  const changed = (): void => {
    hearing.changed();
    told.changed();
  };
  const listeners = new Listeners({ ...ground, released: told.released, changed });
  return {
    subscriptions: new Subscriptions(ground.context, changed),
    listeners,
    mailboxes: new Mailboxes(ground),
    hearing,
    traffic: new TrafficCount(ground),
  };
}
