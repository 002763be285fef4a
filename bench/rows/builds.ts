/** This build against another, day by day or before and after a change: the same work, alternating. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { BENCH_CLAIMS, type BenchAgent, DaemonStage } from "../rig/daemon-stage.ts";
import { BellhopCarriers } from "../rig/peers/bellhop.ts";
import { type Carrier, flood } from "../rig/peers/carrier.ts";
import { residentMegabytes } from "../rig/process-memory.ts";
import { type Duel, duels, type Sizes, timed } from "../rounds.ts";
import { atLeast, atMost, type Extent, type Row } from "../row.ts";

const group = "builds";
const AGENTS = 10;
const IN_FLIGHT = 100;
const MAILBOX = "nobody-runs-it";
/** Differences below this are noise in a single run. */
const NO_SLOWER = { time: atMost(1.05), rate: atLeast(0.95) };
const FAN_OUTS = [
  { listeners: 1, messages: 1_500 },
  { listeners: 10, messages: 500 },
  { listeners: 100, messages: 100 },
] as const;

export async function buildRows(extent: Extent, other: string): Promise<readonly Row[]> {
  const isQuick = extent === "quick";
  const rows: Row[] = [];
  const stages = await Promise.all([DaemonStage.open(AGENTS), DaemonStage.open(AGENTS, { build: other })]);
  try {
    for (const { client } of stages) await client.call("agent_add", { name: MAILBOX });
    const race = (arm: (stage: DaemonStage) => () => Promise<number>, row: Race, sizes: Sizes) =>
      raced(stages, arm, row, sizes);
    const some = { rounds: isQuick ? 5 : 20, samplesPerRound: 5, warmUp: 2 };
    rows.push(
      ...(await race(memory, { name: "daemon RSS, idle", unit: "MB" }, { rounds: 3, samplesPerRound: 1 })),
      ...(await race(
        answered,
        { name: "send, one at a time", unit: "ms" },
        { ...some, samplesPerRound: 50 },
      )),
      ...(await race(together, { name: `send, ${IN_FLIGHT} in flight`, unit: "/s" }, some)),
      ...(await race(commandLine, { name: "bellhop send, start to exit", unit: "ms" }, some)),
      ...(await race(
        readInTmux,
        { name: "client → committed → read in tmux", unit: "ms" },
        { rounds: isQuick ? 3 : 10, samplesPerRound: AGENTS },
      )),
    );
  } finally {
    for (const stage of stages) await stage.close();
  }
  return [...rows, ...(await publishing(other, { rounds: isQuick ? 5 : 15, samplesPerRound: 1, warmUp: 2 }))];
}

type Race = Pick<Duel, "name" | "unit">;

async function raced<T>(
  [ours, others]: readonly [T, T],
  arm: (one: T) => () => Promise<number>,
  race: Race,
  sizes: Sizes,
): Promise<readonly Row[]> {
  const duel: Duel = {
    group,
    ...race,
    goal: race.unit === "/s" ? NO_SLOWER.rate : NO_SLOWER.time,
    ours: { what: "this build", sample: arm(ours) },
    peer: { what: "the other build", sample: arm(others) },
  };
  return duels([duel], sizes);
}

const memory = (stage: DaemonStage) => async () => residentMegabytes(stage.daemonPid);

const send = (stage: DaemonStage) =>
  stage.client.call("send", { to: MAILBOX, body: "x".repeat(188), claims: BENCH_CLAIMS });

const answered = (stage: DaemonStage) => () => timed(() => send(stage));

const together = (stage: DaemonStage) => async () =>
  (IN_FLIGHT * 1_000) /
  (await timed(() => Promise.all(Array.from({ length: IN_FLIGHT }, () => send(stage)))));

const commandLine = (stage: DaemonStage) => () =>
  timed(async () => {
    const [node = "", ...words] = stage.bellhop.command;
    const child = spawn(node, [...words, "send", MAILBOX, "the tests are red"], {
      env: stage.bellhop.env,
      stdio: "ignore",
    });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`bellhop send ended with ${code}`);
  });

const readInTmux = (stage: DaemonStage) => {
  let turn = 0;
  return async () => {
    // After each agent had a sample, they get time to become idle again.
    if (turn % stage.agents.length === 0) await stage.allIdle();
    const agent = stage.agents[turn % stage.agents.length] as BenchAgent;
    turn += 1;
    return stage.sendByClient(agent);
  };
};

async function publishing(other: string, sizes: Sizes): Promise<readonly Row[]> {
  const carriers = await Promise.all([BellhopCarriers.start(), BellhopCarriers.start(other)]);
  try {
    const rows: Row[] = [];
    for (const { listeners, messages } of FAN_OUTS) {
      const kinds: readonly (readonly [string, (from: BellhopCarriers) => Carrier])[] = [
        ["over WebSocket", ({ mailbox }) => mailbox],
        ["with an agent for each", ({ agents }) => agents],
        ...(listeners === 1
          ? ([["over the Unix socket", ({ unix }: BellhopCarriers) => unix]] as const)
          : []),
      ];
      for (const [what, choose] of kinds) {
        const open = carriers.map((one) => choose(one).open(listeners));
        const [ours, others] = await Promise.all(open);
        if (ours === undefined || others === undefined) throw new Error("two builds were started");
        const race: Race = { name: `1→${listeners}, ${what}`, unit: "/s" };
        rows.push(...(await raced([ours, others], (fanOut) => () => flood(fanOut, messages), race, sizes)));
      }
    }
    return rows;
  } finally {
    for (const one of carriers) await one.close();
  }
}
