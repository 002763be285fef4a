/** Puts together what leads to the way in. */
import type { AcceptRoom } from "../accept/room.ts";
import type { Ground } from "../presence/ground.ts";
import type { ViewsRoom } from "../views/room.ts";
import { Asking, type AskingParts } from "./asking.ts";

export interface SendingRoom {
  readonly asking: Asking;
}

export function sendingRoom(
  ground: Ground,
  { queries }: ViewsRoom,
  { accept }: AcceptRoom,
  told: Pick<AskingParts, "released">,
): SendingRoom {
  return { asking: new Asking({ ...ground, queries, accept, ...told }) };
}
