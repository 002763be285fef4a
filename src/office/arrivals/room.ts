/** Composes the arrivals room: who came and who went. */
import type { Hosts } from "../../ports/hosts.ts";
import type { BrokerRoom } from "../broker/room.ts";
import type { Ground } from "../presence/ground.ts";
import { AgentNames } from "./agent-names.ts";
import { Agents, type AgentsParts } from "./agents.ts";
import { Arrivals } from "./arrivals.ts";
import { Departures, type DeparturesParts } from "./departures.ts";
import { Registrar, type RegistrarParts } from "./registrar.ts";
import { Successors } from "./successors.ts";

export type ArrivalsRoom = ReturnType<typeof arrivalsRoom>;

export interface ArrivalsAdapters
  extends Pick<RegistrarParts, "registry" | "digest" | "servers" | "branchOf" | "profile"> {
  readonly hosts: Hosts;
}

type Told = Pick<DeparturesParts, "onExited" | "onRecorded"> &
  Pick<RegistrarParts, "expects" | "onLive"> &
  Pick<AgentsParts, "isInTurn">;

export function arrivalsRoom(
  ground: Ground,
  { subscriptions, listeners }: BrokerRoom,
  adapters: ArrivalsAdapters,
  told: Told,
) {
  const departures = new Departures({ ...ground, ...told });
  const names = new AgentNames({ ...ground, ...told, subscriptions, listeners });
  const successors = new Successors({ ...ground, hosts: adapters.hosts });
  const arrivals = new Arrivals({ ...ground, names, successors });
  const registrar = new Registrar({ ...adapters, ...ground, ...told, departures, names, arrivals });
  const agents = new Agents({ ...ground, ...told, subscriptions });
  return { departures, names, successors, registrar, agents };
}
