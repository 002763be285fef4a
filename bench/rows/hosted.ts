/** Hosted terminals: what fifty of them cost, and how fast keys and frames are. */
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { encodeFrame, FrameReader } from "../../src/wire/host/frames.ts";
import type { DaemonStage } from "../rig/daemon-stage.ts";
import { msSince } from "../rig/echo-pane.ts";
import { type EchoTarget, HostedStage } from "../rig/hosted-stage.ts";
import { proportionalMegabytes, residentMegabytes } from "../rig/process-memory.ts";
import { BYTES, sendByTwoSpawns } from "../rig/tmux-stage.ts";
import { type Arm, type Duel, duel, duels, sizesFor } from "../rounds.ts";
import { atLeast, atMost, type Extent, type Row } from "../row.ts";

const group = "hosted";
/** How many sessions in all; those that only echo are among them. */
const SIZES: Record<Extent, { readonly sessions: number; readonly echoes: number }> = {
  smoke: { sessions: 3, echoes: 1 },
  quick: { sessions: 50, echoes: 10 },
  full: { sessions: 50, echoes: 10 },
};
const SETTLE_MS = 3_000;

export async function hostedRows(extent: Extent, daemon: DaemonStage): Promise<readonly Row[]> {
  const size = SIZES[extent];
  const stage = new HostedStage(daemon, size.echoes);
  try {
    const echoes = await stage.hostedEchoes();
    const starting = await startRow(stage, size.sessions, echoes.length, extent);
    await settled(extent);
    return [
      starting,
      ...(await memoryRows(stage, daemon, extent)),
      ...(await keyRows(stage, daemon, echoes, extent)),
      await endToEndRow(stage, daemon, extent),
      await frameRow(extent),
    ];
  } finally {
    await stage.close();
  }
}

async function settled(extent: Extent): Promise<void> {
  if (extent !== "smoke") await sleep(SETTLE_MS);
}

async function startRow(stage: HostedStage, sessions: number, started: number, extent: Extent): Promise<Row> {
  const perRound = extent === "smoke" ? 1 : 5;
  return duel(
    {
      group,
      name: `a session starts, ${sessions} in all`,
      ours: { what: "run → the program has started", sample: () => stage.startHosted() },
      peer: { what: "tmux new-session → the same", sample: () => stage.startInTmux() },
      unit: "ms",
    },
    { rounds: (sessions - started) / perRound, samplesPerRound: perRound, warmUp: 0 },
  );
}

/** Every host once; the bare Node beside each. */
async function memoryRows(stage: HostedStage, daemon: DaemonStage, extent: Extent): Promise<readonly Row[]> {
  const bare = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e9)"], {
    env: daemon.bellhop.env,
    stdio: "ignore",
  });
  try {
    await settled(extent);
    const pids = stage.hostPids();
    const row = (what: string, measure: (pid: number | undefined) => number, goal: number): Promise<Row> => {
      let turn = 0;
      const ours: Arm = {
        what: "host",
        sample() {
          turn += 1;
          return measure(pids[turn % pids.length]);
        },
      };
      const peer: Arm = { what: "bare Node", sample: () => measure(bare.pid) };
      return duel(
        {
          group,
          name: `${what} of a host, ${pids.length} sessions`,
          ours,
          peer,
          unit: "MB",
          goal: atMost(goal),
        },
        { rounds: pids.length, samplesPerRound: 1, warmUp: 0 },
      );
    };
    const rows = [await row("RSS", residentMegabytes, 1.4)];
    if (proportionalMegabytes(bare.pid) !== undefined)
      rows.push(await row("PSS", (pid) => proportionalMegabytes(pid) ?? Number.NaN, 2));
    return rows;
  } finally {
    bare.kill("SIGKILL");
  }
}

/** From the call until the program has read the last byte, in milliseconds. */
async function keyRows(
  stage: HostedStage,
  daemon: DaemonStage,
  hosted: readonly EchoTarget[],
  extent: Extent,
): Promise<readonly Row[]> {
  const floors = await stage.floorEchoes();
  const raw = await stage.rawEchoes();
  const panes = await stage.tmuxEchoes((pane) => sendByTwoSpawns(daemon.tmux.socket, pane));
  const latency = (what: string, targets: readonly EchoTarget[]): Arm => {
    let turn = 0;
    return {
      what,
      async sample() {
        turn += 1;
        const target = targets[turn % targets.length];
        if (target === undefined) throw new Error("no program");
        const wanted = target.echo.bytes + BYTES;
        const start = process.hrtime.bigint();
        const injected = target.inject();
        const end = await target.echo.hasRead(wanted);
        await injected;
        return msSince(start, end);
      },
    };
  };
  const ours = latency("through the host's gate", hosted);
  const rows: readonly Duel[] = [
    {
      group,
      name: "daemon → keys read by the program",
      ours,
      peer: latency("two spawns", panes),
      unit: "ms",
      goal: atMost(0.03),
    },
    {
      group,
      name: "the same, to the floor",
      ours,
      peer: latency("a bare host: one socket, the checks of the process, a write", floors),
      unit: "ms",
      goal: atMost(1.5),
    },
    { group, name: "the same, without a host", ours, peer: latency("a bare PTY's write", raw), unit: "ms" },
  ];
  const sizes = sizesFor(extent, {
    quick: { rounds: 5, samplesPerRound: 10, warmUp: 2 },
    full: { rounds: 10, samplesPerRound: 20, warmUp: 2 },
  });
  return duels(rows, sizes);
}

async function endToEndRow(stage: HostedStage, daemon: DaemonStage, extent: Extent): Promise<Row> {
  const inTurns = (what: string, agents: readonly { readonly name: string }[]): Arm => {
    let turn = 0;
    return {
      what,
      async sample() {
        if (turn % agents.length === 0) await daemon.allIdle(agents);
        const agent = agents[turn % agents.length];
        turn += 1;
        if (agent === undefined) throw new Error("no agent");
        return daemon.sendByClient(agent);
      },
    };
  };
  const some = stage.agents.slice(0, daemon.agents.length);
  return duel(
    {
      group,
      name: "client → committed → read by the program",
      ours: inTurns("hosted", some),
      peer: inTurns("the same program in tmux", daemon.agents),
      unit: "ms",
    },
    sizesFor(extent, {
      quick: { rounds: 3, samplesPerRound: some.length },
      full: { rounds: 5, samplesPerRound: some.length },
    }),
  );
}

/** Screens as hosts send them, in pieces as sockets give them. */
async function frameRow(extent: Extent): Promise<Row> {
  const MIB = 1_024 * 1_024;
  const frames = Array.from({ length: 4_096 }, (_, index) =>
    encodeFrame("data", Buffer.alloc(64 + ((index * 7_919) % 8_000), index)),
  );
  const stream = Buffer.concat(frames);
  const pieces: Buffer[] = [];
  for (let from = 0; from < stream.length; from += 65_536) pieces.push(stream.subarray(from, from + 65_536));
  const target = Buffer.alloc(stream.length);
  const rate = (what: string, work: () => void): Arm => ({
    what,
    sample() {
      const start = performance.now();
      work();
      return (stream.length / MIB / (performance.now() - start)) * 1_000;
    },
  });
  return duel(
    {
      group,
      name: "frames read, MiB/s",
      ours: rate("the frame reader", () => {
        let count = 0;
        const reader = new FrameReader(() => {
          count += 1;
        });
        for (const piece of pieces) reader.push(piece);
        if (count !== frames.length) throw new Error(`${count} of ${frames.length} frames came out`);
      }),
      peer: rate("a plain copy", () => {
        let at = 0;
        for (const piece of pieces) at += piece.copy(target, at);
      }),
      unit: "/s",
      goal: atLeast(0.3),
    },
    sizesFor(extent, {
      quick: { rounds: 10, samplesPerRound: 5, warmUp: 5 },
      full: { rounds: 30, samplesPerRound: 5, warmUp: 5 },
    }),
  );
}
