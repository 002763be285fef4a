/** A person's message: from an open connection through commit, guard and gate into the program. */
import { setTimeout as sleep } from "node:timers/promises";
import type { BenchAgent, DaemonStage } from "../rig/daemon-stage.ts";
import { FloorCourier } from "../rig/floor-courier.ts";
import { type Arm, duels, sizesFor } from "../rounds.ts";
import { atMost, type Extent, type Row } from "../row.ts";

/** By then the last prompt is drawn, and its delivery proven and recorded: no sample measures the end of another. */
const QUIET_MS = 60;
/** How often each agent gets a message first: for its first hundred messages, any process runs code it has not run yet. */
const WARM_UP: Record<Extent, number> = { smoke: 0, quick: 2, full: 5 };

export async function endToEndRows(extent: Extent, stage: DaemonStage): Promise<readonly Row[]> {
  const floor = await FloorCourier.open(stage);
  try {
    return await rows(extent, stage, floor);
  } finally {
    await floor.close();
  }
}

async function rows(extent: Extent, stage: DaemonStage, floor: FloorCourier): Promise<readonly Row[]> {
  let turn = 0;
  /** Each sample uses the next agent; after a round of all, they get time to become idle again. */
  const nextAgent = async (): Promise<BenchAgent> => {
    if (turn % stage.agents.length === 0) await stage.allIdle();
    const agent = stage.agents[turn % stage.agents.length];
    turn += 1;
    if (agent === undefined) throw new Error("no agent");
    await sleep(QUIET_MS);
    return agent;
  };
  const ours: Arm = {
    what: "client → committed → read",
    sample: async () => stage.sendByClient(await nextAgent()),
  };
  const peer: Arm = {
    what: "a script with two spawns",
    sample: async () => stage.sendByTwoSpawns(await nextAgent()),
  };
  const least: Arm = {
    what: "a bare process: the same rows, one look, one gate",
    sample: async () => floor.send(await nextAgent()),
  };
  for (let sent = 0; sent < WARM_UP[extent] * stage.agents.length; sent += 1)
    for (const arm of [ours, least]) await arm.sample();
  return duels(
    [
      {
        group: "end-to-end",
        name: "client → committed → read by the program",
        ours,
        peer,
        unit: "ms",
        goal: atMost(0.3),
        note: "all checks of the guard included; the program idle before",
      },
      {
        group: "end-to-end",
        name: "the same, to the floor",
        ours,
        peer: least,
        unit: "ms",
        goal: atMost(1.5),
      },
    ],
    sizesFor(extent, {
      quick: { rounds: 5, samplesPerRound: stage.agents.length },
      full: { rounds: 6, samplesPerRound: stage.agents.length },
    }),
  );
}
