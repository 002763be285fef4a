/** What the daemon holds while it has nothing to do. */
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { DaemonStage } from "../rig/daemon-stage.ts";
import { residentMegabytes } from "../rig/process-memory.ts";
import { type Arm, duel } from "../rounds.ts";
import { atMost, type Extent, type Row } from "../row.ts";

/** An idle daemon has given back by then what its start needed. */
const SETTLE_MS = 15_000;

export async function memoryRows(extent: Extent, stage: DaemonStage): Promise<readonly Row[]> {
  const bare = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e9)"], {
    env: stage.bellhop.env,
    stdio: "ignore",
  });
  try {
    if (extent !== "smoke") await sleep(SETTLE_MS);
    const ours: Arm = { what: "daemon", sample: () => residentMegabytes(stage.daemonPid) };
    const peer: Arm = { what: "bare Node", sample: () => residentMegabytes(bare.pid) };
    const row = await duel(
      {
        group: "memory",
        name: `daemon RSS, idle, ${stage.agents.length} sessions`,
        ours,
        peer,
        unit: "MB",
        goal: atMost(1.8),
      },
      { rounds: 5, samplesPerRound: 1, warmUp: 0 },
    );
    return [row];
  } finally {
    bare.kill("SIGKILL");
  }
}
