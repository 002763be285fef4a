/** Puts the way in together. */
import type { BrokerRoom } from "../broker/room.ts";
import type { Ground } from "../presence/ground.ts";
import type { ViewsRoom } from "../views/room.ts";
import { Accept } from "./accept.ts";
import type { AcceptTold } from "./arrival.ts";
import { Asking } from "./asking.ts";
import { DeadLetters } from "./dead-letters.ts";
import { Filing } from "./filing.ts";

export interface AcceptRoom {
  readonly accept: Accept;
  readonly asking: Asking;
  readonly deadLetters: DeadLetters;
  readonly filing: Filing;
}

export function acceptRoom(
  ground: Ground,
  { subscriptions }: BrokerRoom,
  { queries }: ViewsRoom,
  told: AcceptTold,
): AcceptRoom {
  const { context, directory } = ground;
  const filing = new Filing(context, directory);
  const accept = new Accept(context, directory, filing, subscriptions, told);
  return {
    accept,
    asking: new Asking({ ...ground, queries, accept, released: (mailbox) => told.wake(mailbox) }),
    deadLetters: new DeadLetters(context, accept),
    filing,
  };
}
