/** Puts the way in together. */
import type { BrokerRoom } from "../broker/room.ts";
import type { Ground } from "../presence/ground.ts";
import { Accept } from "./accept.ts";
import type { AcceptTold } from "./arrival.ts";
import { DeadLetters } from "./dead-letters.ts";
import { Filing } from "./filing.ts";

export type AcceptRoom = ReturnType<typeof acceptRoom>;

export function acceptRoom({ context, directory }: Ground, { subscriptions }: BrokerRoom, told: AcceptTold) {
  const filing = new Filing(context, directory);
  const accept = new Accept(context, directory, filing, subscriptions, told);
  return { accept, filing, deadLetters: new DeadLetters(context, accept) };
}
