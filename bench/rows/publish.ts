/** Published once, heard by many: ours with every message on disk, against those that do nothing else. */
import { BellhopCarriers } from "../rig/peers/bellhop.ts";
import { type Carrier, type FanOut, flood } from "../rig/peers/carrier.ts";
import { startMosquitto } from "../rig/peers/mosquitto.ts";
import { startJetStream, startNats } from "../rig/peers/nats.ts";
import { startRedis } from "../rig/peers/redis.ts";
import { findServer } from "../rig/peers/server.ts";
import { type Arm, type Duel, duels } from "../rounds.ts";
import { atLeast, type Extent, type Goal, type Row } from "../row.ts";

const group = "publish";
const GOAL = { webSocket: 0.8, unix: 1 };
/** To so many at once, and how many messages are one sample. */
const FAN_OUTS: readonly { readonly listeners: number; readonly messages: Record<Extent, number> }[] = [
  { listeners: 1, messages: { quick: 1_500, full: 4_000 } },
  { listeners: 10, messages: { quick: 500, full: 1_500 } },
  { listeners: 100, messages: { quick: 100, full: 300 } },
];

const DURABLE_PEERS: readonly {
  readonly command: string;
  start(command: string): Promise<Carrier>;
}[] = [
  { command: "nats-server", start: startJetStream },
  { command: "mosquitto", start: startMosquitto },
  { command: "redis-server", start: startRedis },
];

export async function publishRows(extent: Extent): Promise<readonly Row[]> {
  const natsServer = findServer("nats-server");
  if (natsServer === undefined) return [];
  const open: { close(): Promise<void> }[] = [];
  const opened = async <T extends { close(): Promise<void> }>(one: Promise<T>): Promise<T> => {
    open.push(await one);
    return one;
  };
  try {
    const nats = await opened(startNats(natsServer));
    const peers: Carrier[] = [];
    for (const { command, start } of DURABLE_PEERS) {
      const path = findServer(command);
      if (path !== undefined) peers.push(await opened(start(path)));
    }
    const bellhop = await opened(BellhopCarriers.start());
    const rows: Row[] = [];
    for (const { listeners, messages } of FAN_OUTS) {
      const count = messages[extent];
      const arm = async (carrier: Carrier): Promise<Arm> =>
        flooding(carrier.what, await carrier.open(listeners), count);
      const peer = await arm(nats);
      const ours = await arm(bellhop.mailbox);
      const others = await Promise.all(peers.map(arm));
      const agentEach = await arm(bellhop.agents);
      const unix = listeners === 1 ? await arm(bellhop.unix) : undefined;
      const against = (what: string, one: Arm, other: Arm, goal?: Goal): Duel => ({
        group,
        name: `1→${listeners}, ${what}`,
        ours: one,
        peer: other,
        unit: "/s",
        ...(goal === undefined ? {} : { goal }),
      });
      const isGoal = listeners > 1;
      const settings = [
        against("durable, over WebSocket", ours, peer, isGoal ? atLeast(GOAL.webSocket) : undefined),
        against("  with an agent for each", agentEach, peer),
        ...(unix === undefined
          ? []
          : [against("durable, over the Unix socket", unix, peer, atLeast(GOAL.unix))]),
        ...others.map((other) => against(`  ${other.what}`, other, peer)),
        ...(isGoal ? others.map((other) => against("  ours over WebSocket", ours, other, atLeast(1))) : []),
      ];
      rows.push(...(await duels(settings, { rounds: extent === "quick" ? 3 : 9, samplesPerRound: 1 })));
    }
    return rows;
  } finally {
    for (const one of open.reverse()) await one.close();
  }
}

function flooding(what: string, fanOut: FanOut, messages: number): Arm {
  return { what, sample: () => flood(fanOut, messages) };
}
