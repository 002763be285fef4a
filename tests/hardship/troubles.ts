/** Everything that goes wrong on a hard day, each with its healing. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ClusterDay, Host } from "../rig/cluster-day.ts";
import { WallClock } from "../rig/faketime.ts";
import type { NatsNode } from "../rig/nats-on-machines.ts";
import type { Dice } from "./dice.ts";

export interface Trouble {
  readonly name: string;
  /** Resolves when it is there, with what heals it. */
  begin(day: ClusterDay, dice: Dice): Promise<() => Promise<void>>;
}

const HOUR_MS = 3_600_000;
/** Of a line that loses most of what it should carry, and of a server that is mostly elsewhere. */
const GONE_MS = [200, 500] as const;
const THERE_MS = [60, 200] as const;

const on = (name: string, begin: Trouble["begin"]): Trouble => ({ name, begin });

export const TROUBLES: readonly Trouble[] = [
  on("a host is unplugged", async ({ hosts, machines }, dice) => {
    const { machine } = dice.one(hosts);
    await machines.unplug(machine);
    return () => machines.plugIn(machine);
  }),
  on("a host is cut off from its node", async (day, dice) => {
    const [{ machine }, node] = await connected(day, dice);
    await day.machines.cut(machine, node.machine);
    return () => day.machines.mend(machine, node.machine);
  }),
  on("what a host sends to its node is lost", async (day, dice) => {
    const [{ machine }, node] = await connected(day, dice);
    await machine.losesWaysTo(node.machine);
    return () => machine.findsWaysTo(node.machine);
  }),
  on("what a host should hear from its node is lost", async (day, dice) => {
    const [{ machine }, node] = await connected(day, dice);
    await node.machine.losesWaysTo(machine);
    return () => node.machine.findsWaysTo(machine);
  }),
  on("a host has a line that loses most", async ({ hosts, machines }, dice) => {
    const { machine } = dice.one(hosts);
    const end = inTurns(
      dice,
      () => machines.unplug(machine),
      () => machines.plugIn(machine),
    );
    return end;
  }),
  on("a node is unplugged", async ({ nats, machines }, dice) => {
    const { machine } = dice.one(nats.nodes);
    await machines.unplug(machine);
    return () => machines.plugIn(machine);
  }),
  on("a node is cut off from the other nodes", async ({ nats, machines }, dice) => {
    const node = dice.one(nats.nodes);
    const others = nats.nodes.filter((one) => one !== node);
    await each(others, (other) => machines.cut(node.machine, other.machine));
    return () => each(others, (other) => machines.mend(node.machine, other.machine));
  }),
  on("a node hears the others, and they do not hear it", async ({ nats }, dice) => {
    const node = dice.one(nats.nodes);
    const others = nats.nodes.filter((one) => one !== node);
    await each(others, (other) => node.machine.losesWaysTo(other.machine));
    return () => each(others, (other) => node.machine.findsWaysTo(other.machine));
  }),
  on("no node reaches another", async ({ nats, machines }) => {
    const pairs = nats.nodes.flatMap((one, at) =>
      nats.nodes.slice(at + 1).map((other) => [one, other] as const),
    );
    await each(pairs, ([one, other]) => machines.cut(one.machine, other.machine));
    return () => each(pairs, ([one, other]) => machines.mend(one.machine, other.machine));
  }),
  on("two nodes are killed", async ({ nats }, dice) => killed(dice.shuffled(nats.nodes).slice(1))),
  on("a node is killed", async ({ nats }, dice) => killed([dice.one(nats.nodes)])),
  on("all nodes are killed", async ({ nats }) => killed(nats.nodes)),
  on("a node is frozen", async (day, dice) => {
    const [, node] = await connected(day, dice);
    node.freeze(true);
    return async () => node.freeze(false);
  }),
  on("all nodes are slow", async ({ nats }, dice) => {
    const ends = nats.nodes.map((node) =>
      inTurns(
        dice.another(),
        async () => node.freeze(true),
        async () => node.freeze(false),
      ),
    );
    return () => each(ends, (end) => end());
  }),
  on("a daemon is killed", async ({ hosts }, dice) => {
    const { bellhop } = dice.one(hosts);
    await bellhop.stop("SIGKILL");
    return async () => void (await bellhop.start());
  }),
  on("a daemon and its node are killed", async (day, dice) => {
    const [{ bellhop }, node] = await connected(day, dice);
    await Promise.all([bellhop.stop("SIGKILL"), node.kill()]);
    return async () => {
      node.start();
      await bellhop.start();
    };
  }),
  on("a host starts while all nodes are down", async ({ hosts, nats }, dice) => {
    const { bellhop } = dice.one(hosts);
    await bellhop.stop("SIGKILL");
    const heal = await killed(nats.nodes);
    await bellhop.start();
    return heal;
  }),
  on("a host's clock is an hour ahead", ({ hosts }, dice) => skewed(dice.one(hosts), HOUR_MS)),
  on("a host's clock is an hour behind", ({ hosts }, dice) => skewed(dice.one(hosts), -HOUR_MS)),
];

/** A host, and the node that it uses now. */
async function connected({ hosts, nats }: ClusterDay, dice: Dice): Promise<readonly [Host, NatsNode]> {
  const host = dice.one(hosts);
  const { cluster } = await host.bellhop.ask("cluster_status", {});
  const server = cluster?.engine.server ?? "";
  const used = nats.nodes.find(({ machine }) => server.includes(`${machine.address}:`));
  return [host, used ?? dice.one(nats.nodes)];
}

async function killed(nodes: readonly NatsNode[]): Promise<() => Promise<void>> {
  await each(nodes, (node) => node.kill());
  return async () => {
    for (const node of nodes) node.start();
  };
}

/** From a start of its daemon to the next. */
async function skewed({ bellhop }: Host, aheadMs: number): Promise<() => Promise<void>> {
  const clock = new WallClock();
  clock.set(aheadMs);
  await bellhop.stop("SIGKILL");
  await bellhop.start(clock.env);
  return async () => {
    await bellhop.stop("SIGKILL");
    await bellhop.start();
    clock.remove();
  };
}

/** Gone and there, again and again; ends with `there`. */
function inTurns(dice: Dice, gone: () => Promise<void>, there: () => Promise<void>): () => Promise<void> {
  let isOver = false;
  const turns = async () => {
    while (!isOver) {
      await gone();
      await sleep(dice.between(...GONE_MS));
      await there();
      await sleep(dice.between(...THERE_MS));
    }
  };
  const running = turns();
  return async () => {
    isOver = true;
    await running;
  };
}

async function each<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  await Promise.all(all.map(act));
}
