/** One publisher, many listeners: Bellhop with every message on disk, against dedicated message brokers. */
import { BellhopCarriers } from "../rig/peers/bellhop.ts";
import { type Carrier, flood } from "../rig/peers/carrier.ts";
import { Floor } from "../rig/peers/floor.ts";
import { startMosquitto } from "../rig/peers/mosquitto.ts";
import { startJetStream, startNats } from "../rig/peers/nats.ts";
import {
  startOfficialJetStream,
  startOfficialMosquitto,
  startOfficialNats,
  startOfficialRedis,
} from "../rig/peers/official-clients.ts";
import { startRedis } from "../rig/peers/redis.ts";
import { findServer } from "../rig/peers/server.ts";
import { type Arm, type Duel, duels, sizesFor } from "../rounds.ts";
import { atLeast, type Extent, type Goal, type Row } from "../row.ts";

const group = "publish";
const OFFICIAL_GROUP = "publish-official";
/** Relative to NATS core, by number of listeners. */
const GOALS = {
  official: { 1: 0.5, 10: 0.8, 100: 1 },
  bare: { 1: 0.2, 10: 0.5, 100: 0.85 },
  agentEach: { 1: undefined, 10: undefined, 100: 0.3 },
} as const;
/** Where a goal is out of reach for any durable broker on Node, this share of the least one counts instead. */
const OF_THE_FLOOR = atLeast(0.67);
/** The numbers of listeners, and how many messages one sample has. */
const FAN_OUTS: readonly { readonly listeners: 1 | 10 | 100; readonly messages: Record<Extent, number> }[] = [
  { listeners: 1, messages: { smoke: 3, quick: 1_500, full: 4_000 } },
  { listeners: 10, messages: { smoke: 3, quick: 500, full: 1_500 } },
  { listeners: 100, messages: { smoke: 0, quick: 100, full: 300 } },
];
const fanOutsOf = (extent: Extent) => FAN_OUTS.filter(({ messages }) => messages[extent] > 0);

type Start = (command: string) => Promise<Carrier>;
interface Peers {
  readonly nats: Start;
  readonly durable: readonly { readonly command: string; readonly start: Start }[];
}

const BARE: Peers = {
  nats: startNats,
  durable: [
    { command: "nats-server", start: startJetStream },
    { command: "mosquitto", start: startMosquitto },
    { command: "redis-server", start: startRedis },
  ],
};

const OFFICIAL: Peers = {
  nats: startOfficialNats,
  durable: [
    { command: "nats-server", start: startOfficialJetStream },
    { command: "mosquitto", start: startOfficialMosquitto },
    { command: "redis-server", start: startOfficialRedis },
  ],
};

/** A small client of the same design for every protocol. */
export async function publishRows(extent: Extent): Promise<readonly Row[]> {
  const floor = await Floor.start();
  const measured = withPeers(extent, BARE, async (nats, durable, bellhop) => {
    const rows: Row[] = [];
    for (const { listeners, messages } of fanOutsOf(extent)) {
      const arm = armOf(listeners, messages[extent]);
      const peer = await arm(nats);
      const ours = await arm(bellhop.mailbox);
      const agentEach = await arm(bellhop.agents);
      const least = await arm(floor.mailbox);
      const row = naming(group, listeners);
      const settings = [
        row("durable, over WebSocket", ours, peer, atLeast(GOALS.bare[listeners])),
        row("  with an agent for each", agentEach, peer, goalOf(GOALS.agentEach[listeners])),
        ...(listeners === 1 ? [row("durable, over the Unix socket", await arm(bellhop.unix), peer)] : []),
        row(`  ${least.what}`, least, peer),
        row("  ours", ours, least, OF_THE_FLOOR),
        ...(listeners === 1
          ? []
          : [row("  ours, an agent for each", agentEach, await arm(floor.agents), OF_THE_FLOOR)]),
        ...(await others(row, durable, arm, ours, peer, listeners)),
      ];
      rows.push(...(await duels(settings, sizesOf(extent))));
    }
    return rows;
  });
  return measured.finally(() => floor.close());
}

/** What a user of each system would write: with its own client library. */
export async function officialPublishRows(extent: Extent): Promise<readonly Row[]> {
  const floor = await Floor.start();
  const measured = withPeers(extent, OFFICIAL, async (nats, durable, bellhop) => {
    const rows: Row[] = [];
    for (const { listeners, messages } of fanOutsOf(extent)) {
      const arm = armOf(listeners, messages[extent]);
      const peer = await arm(nats);
      const ours = await arm(bellhop.library);
      const least = await arm(floor.library);
      const row = naming(OFFICIAL_GROUP, listeners);
      const settings = [
        row("durable, by the client library", ours, peer, atLeast(GOALS.official[listeners])),
        row(`  ${least.what}`, least, peer),
        row("  ours", ours, least, OF_THE_FLOOR),
        ...(await others(row, durable, arm, ours, peer, listeners)),
      ];
      rows.push(...(await duels(settings, sizesOf(extent))));
    }
    return rows;
  });
  return measured.finally(() => floor.close());
}

async function withPeers(
  extent: Extent,
  peers: Peers,
  measure: (nats: Carrier, durable: readonly Carrier[], bellhop: BellhopCarriers) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const open: { close(): Promise<void> }[] = [];
  const opened = async <T extends { close(): Promise<void> }>(one: Promise<T>): Promise<T> => {
    open.push(await one);
    return one;
  };
  try {
    if (extent === "smoke") {
      // Nothing is installed for it: another Bellhop is the peer.
      const { unix, mailbox } = await opened(BellhopCarriers.start());
      return await measure(unix, [mailbox], await opened(BellhopCarriers.start()));
    }
    const natsServer = findServer("nats-server");
    if (natsServer === undefined) return [];
    const nats = await opened(peers.nats(natsServer));
    const durable: Carrier[] = [];
    for (const { command, start } of peers.durable) {
      const path = findServer(command);
      if (path !== undefined) durable.push(await opened(start(path)));
    }
    return await measure(nats, durable, await opened(BellhopCarriers.start()));
  } finally {
    for (const one of open.reverse()) await one.close();
  }
}

type ArmOf = (carrier: Carrier) => Promise<Arm>;
type Naming = (what: string, ours: Arm, peer: Arm, goal?: Goal) => Duel;

function armOf(listeners: number, messages: number): ArmOf {
  return async (carrier) => {
    const fanOut = await carrier.open(listeners);
    return { what: carrier.what, sample: () => flood(fanOut, messages) };
  };
}

function naming(inGroup: string, listeners: number): Naming {
  return (what, ours, peer, goal) => ({
    group: inGroup,
    name: `1→${listeners}, ${what}`,
    ours,
    peer,
    unit: "/s",
    ...(goal === undefined ? {} : { goal }),
  });
}

/** The systems that store messages: relative to NATS core, and Bellhop relative to them. */
async function others(
  row: Naming,
  durable: readonly Carrier[],
  arm: ArmOf,
  ours: Arm,
  peer: Arm,
  listeners: number,
): Promise<readonly Duel[]> {
  const arms: Arm[] = [];
  for (const carrier of durable) arms.push(await arm(carrier));
  return [
    ...arms.map((other) => row(`  ${other.what}`, other, peer)),
    ...(listeners > 1 ? arms.map((other) => row("  ours", ours, other, atLeast(1))) : []),
  ];
}

const goalOf = (ratio: number | undefined): Goal | undefined =>
  ratio === undefined ? undefined : atLeast(ratio);
/** A broker runs for days: its first thousands of messages, while its code is still cold, are not what it is chosen for. */
const sizesOf = (extent: Extent) =>
  sizesFor(extent, {
    quick: { rounds: 5, samplesPerRound: 1, warmUp: 3 },
    full: { rounds: 9, samplesPerRound: 1, warmUp: 3 },
  });
