/** A host without terminals: a store, the hosts that it knows, and an open cluster. Its agents work when they are told. */
import { openSealer } from "../../src/cluster/sealer.ts";
import type { AdmittedHost } from "../../src/core/cluster/admission.ts";
import type { HostName } from "../../src/core/cluster/hosts.ts";
import type { OfficeContext } from "../../src/office/base/context.ts";
import { StateWatch } from "../../src/office/base/state-watch.ts";
import { Touches } from "../../src/office/base/touches.ts";
import { KnownHosts } from "../../src/office/cluster/neighbours.ts";
import { OpenCluster, type OpenClusterParts } from "../../src/office/cluster/open-cluster.ts";
import type { Directory } from "../../src/office/presence/directory.ts";
import { Neighbours } from "../../src/office/presence/neighbourhood.ts";
import type { Sealer } from "../../src/ports/cluster-engine.ts";
import type { Store } from "../../src/ports/store.ts";
import type { VirtualClock } from "./clock.ts";
import { CountingEngine, type CountingHub } from "./engine.ts";

/** What each host has: agents, and subscriptions of each. */
export const EACH = { agents: 5, subscriptions: 4 } as const;
/** So many hosts share one team's path. */
export const TEAM = 10;

export interface Surroundings {
  readonly clock: VirtualClock;
  readonly hub: CountingHub;
  admitted(): readonly AdmittedHost[];
}

export class VirtualHost {
  readonly name: HostName;
  readonly store: Store;
  readonly sealer: Sealer;
  readonly hosts: KnownHosts;
  readonly cluster: OpenCluster;
  readonly engine: CountingEngine;
  readonly #index: number;
  readonly #touches: Touches;
  readonly #busy = new Set<string>();

  private constructor(index: number, store: Store, sealer: Sealer, { clock, hub, admitted }: Surroundings) {
    this.#index = index;
    this.name = nameOf(index);
    this.#touches = new Touches(store);
    this.store = this.#touches.store;
    this.sealer = sealer;
    this.engine = new CountingEngine(hub, this.name);
    const { engine } = this;
    const silent = (): void => {};
    const context: Partial<OfficeContext> = {
      ...{ store: this.store, clock, owner: "person/dev" },
      log: { info: silent, warn: silent, error: (event, facts) => fail(event, facts) },
    };
    const parts = {
      context: context as OfficeContext,
      directory: this.#directory(),
      states: new StateWatch(),
      neighbours: new Neighbours(),
      ...{ touches: this.#touches, host: this.name, admitted, sealer, engine },
      timekeeper: { now: async () => clock.now() },
    };
    this.hosts = new KnownHosts({ ...parts, announce: (bytes) => engine.announce(bytes) });
    // Nothing is sent here: nobody has to accept anything, and no agent moves in.
    const unused = {} as Pick<OpenClusterParts, "accept" | "home">;
    this.cluster = new OpenCluster({ ...parts, ...unused, hosts: this.hosts });
  }

  static async make(
    index: number,
    store: Store,
    keyFile: string,
    around: Surroundings,
  ): Promise<VirtualHost> {
    return new VirtualHost(index, store, await openSealer(keyFile), around);
  }

  get agents(): readonly string[] {
    return Array.from({ length: EACH.agents }, (_, at) => agentOf(this.#index, at));
  }

  async moveIn(): Promise<void> {
    await this.store.write((tx) => {
      for (const [at, name] of this.agents.entries()) {
        tx.putAgent({ name, createdAt: 1, origin: "discovered", chosen: false, paused: false });
        for (const pattern of patternsOf(this.#index, at))
          tx.putSubscription({
            owner: { kind: "agent", agent: name },
            ...{ pattern, addedAt: 1, origin: "asked" },
          });
      }
    });
  }

  /** An agent begins or ends a turn: the next look notices it. */
  toggle(): void {
    const [first = ""] = this.agents;
    if (!this.#busy.delete(first)) this.#busy.add(first);
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    await this.store.close();
  }

  /** Each agent has one session, in a terminal that nobody looks at. */
  #directory(): Directory {
    const session = (name: string) => ({
      record: { id: sessionOf(name), program: "claude" },
      readiness: () => ({ kind: this.#busy.has(name) ? "busy" : "idle" }),
    });
    const found: Pick<Record<keyof Directory, unknown>, "takerOf" | "of"> = {
      takerOf: session,
      of: (name: string) => [session(name)],
    };
    return found as unknown as Directory;
  }
}

export function nameOf(index: number): HostName {
  return `host-${index}`;
}

export function agentOf(index: number, at: number): string {
  return `agent-${index}-${at}`;
}

/** Heard by one host, and by the hosts of one team. */
export function pathsOf(index: number): { readonly own: string; readonly team: string } {
  return { own: `project-${index}/build/7`, team: `team/${Math.floor(index / TEAM)}/news` };
}

function patternsOf(index: number, at: number): readonly string[] {
  return [
    `project-${index}/build/*`,
    `team/${Math.floor(index / TEAM)}/**`,
    `slack/workspace/#channel-${index}-${at}`,
    `webhook/github/repository-${index}-${at}`,
  ];
}

function sessionOf(agent: string): string {
  let state = 7;
  for (const character of agent) state = (Math.imul(state, 31) + character.charCodeAt(0)) >>> 0;
  return state.toString(16).padStart(8, "0");
}

function fail(event: string, facts: unknown): never {
  throw new Error(`${event}: ${JSON.stringify(facts)}`);
}
