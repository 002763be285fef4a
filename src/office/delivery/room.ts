/** Composes the couriers, and recovery after a start. */
import type { BrokerRoom } from "../broker/room.ts";
import type { Ground } from "../presence/ground.ts";
import type { TypingRoom } from "../typing/room.ts";
import { Couriers, type CouriersParts } from "./couriers.ts";
import { Recover } from "./recovery.ts";

export type DeliveryRoom = ReturnType<typeof deliveryRoom>;

type Told = Pick<CouriersParts, "isAwaited" | "isQuestion" | "onMixed" | "expire" | "onGone">;

export function deliveryRoom(ground: Ground, typing: TypingRoom, { listeners }: BrokerRoom, told: Told) {
  const isTakenElsewhere: CouriersParts["isTakenElsewhere"] = (mailbox) => listeners.consumes(mailbox);
  return {
    couriers: new Couriers({ ...ground, ...typing, ...told, isTakenElsewhere }),
    recover: new Recover(ground.context, told.onMixed),
  };
}
