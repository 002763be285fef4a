/** Other hosts that are admitted here, the addresses that each has, and the patterns to which somebody there subscribes. */
import type { Elsewhere } from "../../src/core/cluster/hosts.ts";
import { subscriptionMatches } from "../../src/core/routing/pattern.ts";
import { type Neighbourhood, Neighbours } from "../../src/office/presence/neighbourhood.ts";

export interface Neighbour {
  readonly has?: readonly string[];
  readonly hears?: readonly string[];
  readonly person?: string;
}

/** This host is `desk`. */
export function neighbourhood(hosts: Readonly<Record<string, Neighbour>>): Neighbourhood {
  const all = Object.entries(hosts).flatMap(([host, { has = [] }]) =>
    has.map((address): Elsewhere => ({ address, host })),
  );
  return {
    host: "desk",
    changed: () => {},
    listed: () => [],
    lacks: () => false,
    obstacle: () => undefined,
    hosts: () => Object.keys(hosts).toSorted(),
    isAdmitted: (host) => Object.hasOwn(hosts, host),
    may: (host) => Object.hasOwn(hosts, host),
    named: (name) =>
      all.filter(({ address }) => address === `agent/${name}` || address.startsWith(`session/${name}`)),
    agentsOf: (host) => (hosts[host]?.has ?? []).flatMap((one) => /^agent\/(.+)$/u.exec(one)?.[1] ?? []),
    personOf: (host) => hosts[host]?.person,
    takersOf: ({ text }) =>
      Object.entries(hosts)
        .filter(([, { hears = [] }]) => hears.some((pattern) => subscriptionMatches(pattern, text)))
        .map(([host]) => host)
        .toSorted(),
  };
}

export function neighboursOf(hosts: Readonly<Record<string, Neighbour>>): Neighbours {
  const neighbours = new Neighbours();
  neighbours.set(neighbourhood(hosts));
  return neighbours;
}
