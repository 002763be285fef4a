/** Composes telling (the person), watches (other agents) and a person's changes to the queue. */
import type { AcceptRoom } from "../accept/room.ts";
import type { Ground } from "../presence/ground.ts";
import type { ViewsRoom } from "../views/room.ts";
import { QueueChanges } from "./queue-changes.ts";
import { Telling, type TellingParts } from "./telling.ts";
import { Watches } from "./watches.ts";

export type DeskRoom = ReturnType<typeof deskRoom>;

export function deskRoom(
  ground: Ground,
  { attention, queries }: ViewsRoom,
  { accept }: AcceptRoom,
  adapters: Pick<TellingParts, "servers" | "desktop">,
) {
  return {
    changes: new QueueChanges({ ...ground, queries }),
    telling: new Telling({ ...adapters, ...ground, attention }),
    watches: new Watches({ ...ground, accept }),
  };
}
