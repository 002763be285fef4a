/** What many panes cost a daemon: while nothing happens there, and when somebody asks who is there. */
import { setTimeout as sleep } from "node:timers/promises";
import { PanesStage } from "../rig/panes-stage.ts";
import { type Arm, duels, growing, ONCE, sizesFor, timed } from "../rounds.ts";
import { atMost, type Extent, type Row } from "../row.ts";

const group = "panes";
const PANES: Record<Extent, readonly number[]> = {
  smoke: [1, 2],
  quick: [5, 50, 500],
  full: [5, 50, 500],
};
/** What was found at the start has settled by then. */
const SETTLE_MS: Record<Extent, number> = { smoke: 0, quick: 10_000, full: 10_000 };
/** As long as the time between two looks at every pane, so that exactly one of them counts. */
const IDLE_MS: Record<Extent, number> = { smoke: 50, quick: 120_000, full: 120_000 };
const MS_PER_SECOND = 1_000;
/** An idle daemon may be counted as no time at all. */
const LEAST_MS = 0.001;

export async function panesRows(extent: Extent): Promise<readonly Row[]> {
  const stages: PanesStage[] = [];
  try {
    for (const panes of PANES[extent].toReversed()) stages.unshift(await PanesStage.open(panes));
    return [...(await idleRows(extent, stages)), ...(await listRows(extent, stages))];
  } finally {
    for (const stage of stages) await stage.close();
  }
}

/** All of them at the same time, because each does nothing. */
async function idleRows(extent: Extent, stages: readonly PanesStage[]): Promise<readonly Row[]> {
  const spent = () => stages.map((stage) => stage.daemonCpuMs());
  if (spent().includes(undefined)) return [];
  await sleep(SETTLE_MS[extent]);
  const before = spent();
  const wallMs = await timed(() => sleep(IDLE_MS[extent]));
  const after = spent();
  const arms = stages.map(({ panes }, index) => {
    const cpuMs = (after[index] ?? Number.NaN) - (before[index] ?? Number.NaN);
    const perSecond = Math.max((cpuMs / wallMs) * MS_PER_SECOND, LEAST_MS);
    return [panes, { what: `daemon, ${panes} panes`, sample: () => perSecond }] as const;
  });
  const second: Arm = { what: "a second", sample: () => MS_PER_SECOND };
  const [panes, ours] = arms.at(-1) ?? [0, second];
  return duels(
    [
      { group, name: `CPU while idle, ${panes} panes`, ours, peer: second, unit: "ms", goal: atMost(0.005) },
      ...growing({ group, axis: "panes", work: "CPU while idle, in a second", unit: "ms", arms }),
    ],
    ONCE,
  );
}

async function listRows(extent: Extent, stages: readonly PanesStage[]): Promise<readonly Row[]> {
  const arms = (work: (stage: PanesStage) => Promise<unknown>) =>
    stages.map(
      (stage) =>
        [stage.panes, { what: `${stage.panes} panes`, sample: () => timed(() => work(stage)) }] as const,
    );
  return duels(
    [
      ...growing({
        group,
        axis: "panes",
        work: "bellhop ls",
        unit: "ms",
        arms: arms(({ bellhop }) => bellhop.json(["ls"])),
        goal: atMost(2),
      }),
      ...growing({
        group,
        axis: "panes",
        work: "ls on a standing connection",
        unit: "ms",
        arms: arms(({ client }) => client.call("ls", {})),
      }),
    ],
    sizesFor(extent, {
      quick: { rounds: 10, samplesPerRound: 1 },
      full: { rounds: 15, samplesPerRound: 1 },
    }),
  );
}
