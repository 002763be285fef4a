/** Composes automatic turns. */
import type { Address, Message } from "../../core/message.ts";
import type { Runner } from "../../ports/runner.ts";
import type { AcceptRoom } from "../accept/room.ts";
import type { BrokerRoom } from "../broker/room.ts";
import type { Ground } from "../presence/ground.ts";
import { Turns } from "./turns.ts";

export type TurnsRoom = ReturnType<typeof turnsRoom>;

export interface TurnsTold {
  isAwaited(message: Message): boolean;
  outletFor(path: Address): Address | undefined;
  changed(): void;
}

export function turnsRoom(
  ground: Ground,
  { accept }: AcceptRoom,
  { listeners }: BrokerRoom,
  runner: Runner,
  told: TurnsTold,
) {
  return {
    turns: new Turns({
      ...ground,
      accept,
      runner,
      bridges: { outletFor: (path) => told.outletFor(path) },
      newTurnId: () => ground.context.ids.shortId(),
      isAwaited: ({ message }) => told.isAwaited(message),
      isTakenElsewhere: (mailbox) => listeners.consumes(mailbox),
      changed: () => told.changed(),
    }),
  };
}
