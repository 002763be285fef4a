/** What many panes cost a daemon: while nothing happens there, and when somebody asks who is there. */
import { setTimeout as sleep } from "node:timers/promises";
import { PanesStage } from "../rig/panes-stage.ts";
import { type Arm, duels, timed } from "../rounds.ts";
import { atMost, type Extent, type Row } from "../row.ts";

const group = "panes";
const MANY = 500;
const FEW = 5;
/** What was found at the start has settled by then. */
const SETTLE_MS = 15_000;

export async function panesRows(extent: Extent): Promise<readonly Row[]> {
  const many = await PanesStage.open(MANY);
  try {
    const few = await PanesStage.open(FEW);
    try {
      return [...(await idleRows(extent, many)), ...(await listRows(extent, many, few))];
    } finally {
      await few.close();
    }
  } finally {
    await many.close();
  }
}

async function idleRows(extent: Extent, stage: PanesStage): Promise<readonly Row[]> {
  if (stage.daemonCpuMs() === undefined) return [];
  const windowMs = extent === "quick" ? 20_000 : 60_000;
  await sleep(SETTLE_MS);
  let spent = { cpuMs: 0, wallMs: 1 };
  const ours: Arm = {
    what: `daemon, ${stage.panes} panes`,
    sample: async () => {
      const before = stage.daemonCpuMs() ?? 0;
      const wallMs = await timed(() => sleep(windowMs));
      spent = { cpuMs: (stage.daemonCpuMs() ?? 0) - before, wallMs };
      return spent.cpuMs;
    },
  };
  const peer: Arm = { what: "the time that passed", sample: () => spent.wallMs };
  return duels(
    [{ group, name: `CPU while idle, ${MANY} panes`, ours, peer, unit: "ms", goal: atMost(0.005) }],
    { rounds: 3, samplesPerRound: 1, warmUp: 1 },
  );
}

async function listRows(extent: Extent, many: PanesStage, few: PanesStage): Promise<readonly Row[]> {
  const what = ({ panes }: PanesStage) => `${panes} panes`;
  const command = (stage: PanesStage): Arm => ({
    what: what(stage),
    sample: () => timed(() => stage.bellhop.json(["ls"])),
  });
  const call = (stage: PanesStage): Arm => ({
    what: what(stage),
    sample: () => timed(() => stage.client.call("ls", {})),
  });
  return duels(
    [
      {
        group,
        name: `bellhop ls, ${MANY} panes`,
        ours: command(many),
        peer: command(few),
        unit: "ms",
        goal: atMost(2),
      },
      { group, name: "  asked on a standing connection", ours: call(many), peer: call(few), unit: "ms" },
    ],
    { rounds: extent === "quick" ? 10 : 30, samplesPerRound: 1 },
  );
}
