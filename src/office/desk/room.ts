/** Puts together what the person and other agents are told. */
import type { AcceptRoom } from "../accept/room.ts";
import type { Ground } from "../presence/ground.ts";
import type { ViewsRoom } from "../views/room.ts";
import { Telling, type TellingParts } from "./telling.ts";
import { Watches } from "./watches.ts";

export interface DeskRoom {
  readonly telling: Telling;
  readonly watches: Watches;
}

export function deskRoom(
  ground: Ground,
  { attention }: ViewsRoom,
  { accept }: AcceptRoom,
  adapters: Pick<TellingParts, "servers" | "desktop">,
): DeskRoom {
  return {
    telling: new Telling({ ...adapters, ...ground, attention }),
    watches: new Watches({ ...ground, accept }),
  };
}
