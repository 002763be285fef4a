/** Puts the way in together. */
import type { BrokerRoom } from "../broker/room.ts";
import type { Ground } from "../presence/ground.ts";
import { Accept } from "./accept.ts";
import { DeadLetters } from "./dead-letters.ts";
import { Filing } from "./filing.ts";
import type { AcceptTold } from "./incoming.ts";

export type AcceptRoom = ReturnType<typeof acceptRoom>;

export function acceptRoom(ground: Ground, broker: BrokerRoom, told: AcceptTold) {
  const filing = new Filing(ground.context, ground.directory);
  const accept = new Accept({ ...ground, ...broker, filing, told });
  return { accept, filing, deadLetters: new DeadLetters(ground.context, accept) };
}
