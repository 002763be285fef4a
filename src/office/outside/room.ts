/** Composes the bridges. */
import type { AcceptRoom } from "../accept/room.ts";
import type { Ground } from "../presence/ground.ts";
import { Bridges, type BridgesParts } from "./bridges.ts";

export type OutsideRoom = ReturnType<typeof outsideRoom>;

export type OutsideTold = Pick<BridgesParts, "changed" | "closed">;

export function outsideRoom(ground: Ground, { accept }: AcceptRoom, told: OutsideTold) {
  return { bridges: new Bridges({ ...ground, accept, ...told }) };
}
