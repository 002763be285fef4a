/** A message to an agent on another host: through two commits and a JetStream, against the same at home. */
import type { BenchAgent } from "../rig/daemon-stage.ts";
import { HostsStage } from "../rig/hosts-stage.ts";
import { type FanOut, flood } from "../rig/peers/carrier.ts";
import { startJetStream } from "../rig/peers/nats.ts";
import { findServer } from "../rig/peers/server.ts";
import { type Arm, duels, sizesFor } from "../rounds.ts";
import { atMost, type Extent, type Row } from "../row.ts";

const group = "hosts";
const AGENTS: Record<Extent, number> = { smoke: 1, quick: 10, full: 20 };
const MESSAGES: Record<Extent, number> = { smoke: 3, quick: 1_000, full: 3_000 };
const IN_FLIGHT = 100;

/** Without a nats-server there is nothing between the hosts, and nothing is measured. */
export async function hostsRows(extent: Extent): Promise<readonly Row[]> {
  const command = findServer("nats-server");
  if (command === undefined) return [];
  const stage = await HostsStage.open(command, AGENTS[extent]);
  try {
    return [...(await oneHop(extent, stage)), ...(await throughput(extent, stage, command))];
  } finally {
    await stage.close();
  }
}

async function oneHop(extent: Extent, stage: HostsStage): Promise<readonly Row[]> {
  const { agents } = stage.far;
  let turn = 0;
  /** Each sample uses the next agent; after a round of all, they get time to become idle again. */
  const nextAgent = async (): Promise<BenchAgent> => {
    if (turn % agents.length === 0) await stage.far.allIdle();
    const agent = agents[turn % agents.length];
    turn += 1;
    if (agent === undefined) throw new Error("no agent");
    return agent;
  };
  const ours: Arm = {
    what: "client → committed on A → committed on B → read",
    sample: async () => stage.sendAcross(await nextAgent()),
  };
  const home: Arm = {
    what: "client → committed → read",
    sample: async () => stage.far.sendByClient(await nextAgent()),
  };
  const peer: Arm = {
    what: `at home, and ${stage.engine}`,
    sample: async () => stage.sendAtHomeAndStore(await nextAgent()),
  };
  return duels(
    [
      {
        group,
        name: "one hop, until the program has read it",
        ours,
        peer,
        unit: "ms",
        goal: atMost(1.5),
        note: "the peer: the local way, plus one bare publish with its acknowledgement",
      },
      { group, name: "  to the local way alone", ours, peer: home, unit: "ms" },
    ],
    sizesFor(extent, {
      quick: { rounds: 3, samplesPerRound: agents.length },
      full: { rounds: 6, samplesPerRound: agents.length },
    }),
  );
}

async function throughput(extent: Extent, stage: HostsStage, command: string): Promise<readonly Row[]> {
  const jetStream = await startJetStream(command);
  const arm = (what: string, fanOut: FanOut): Arm => ({
    what,
    sample: () => flood(fanOut, MESSAGES[extent], IN_FLIGHT),
  });
  try {
    const ours = arm("committed on two hosts, heard on the second", await stage.across());
    const home = arm("at home", await stage.atHome());
    const bare = arm(`bare ${jetStream.what}`, await jetStream.open(1));
    const row = (name: string, peer: Arm) =>
      ({ group, name: `${IN_FLIGHT} in flight, ${name}`, ours, peer, unit: "/s" }) as const;
    return await duels(
      [row("to as many at home", home), row("to as many in a bare stream", bare)],
      sizesFor(extent, {
        quick: { rounds: 3, samplesPerRound: 1 },
        full: { rounds: 9, samplesPerRound: 1 },
      }),
    );
  } finally {
    await jetStream.close();
  }
}
