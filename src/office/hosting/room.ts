/** Composes what runs programs: sessions that Bellhop starts, agents that agents start, views of their terminals. */
import type { AcceptRoom } from "../accept/room.ts";
import type { ArrivalsRoom } from "../arrivals/room.ts";
import type { Ground } from "../presence/ground.ts";
import { Children } from "./children.ts";
import { Looking } from "./looking.ts";
import { Sessions, type SessionsParts } from "./sessions.ts";

export type HostingRoom = ReturnType<typeof hostingRoom>;

export type HostingAdapters = Pick<SessionsParts, "programOf" | "prepare" | "environment" | "hosts">;

export function hostingRoom(
  ground: Ground,
  { registrar, successors }: ArrivalsRoom,
  { accept }: AcceptRoom,
  adapters: HostingAdapters,
) {
  const { hosts } = adapters;
  const sessions = new Sessions({ ...adapters, ...ground, registrar, successors });
  return {
    sessions,
    children: new Children({ ...ground, accept, sessions, hosts }),
    looking: new Looking({ ...ground, registrar, hosts }),
  };
}
