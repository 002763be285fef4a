/** Into a tmux pane: a single write on one open connection against two processes per message. */
import { msSince } from "../rig/echo-pane.ts";
import { BYTES, type Target, TmuxStage } from "../rig/tmux-stage.ts";
import { type Arm, duels, sizesFor, timed } from "../rounds.ts";
import { atLeast, atMost, type Extent, type Row } from "../row.ts";

const group = "injection";
const PANES = {
  smoke: { few: 2, many: 4 },
  quick: { few: 10, many: 500 },
  full: { few: 10, many: 500 },
} as const;
const IN_FLIGHT = 64;
/** How many deliveries one sample has: on one connection, and by two processes each. */
const PER_PANE = {
  smoke: { many: 2, few: 1 },
  quick: { many: 100, few: 8 },
  full: { many: 300, few: 15 },
} as const;

type Inject = (target: Target) => Promise<void>;

export async function injectionRows(extent: Extent): Promise<readonly Row[]> {
  const panes = PANES[extent];
  const stage = await TmuxStage.open(panes.few);
  try {
    const ways = {
      bare: (target: Target) => stage.inject(target),
      gated: (target: Target) => stage.injectThroughGate(target),
      least: (target: Target) => stage.injectThroughBareGate(target),
      spawned: (target: Target) => stage.injectByTwoSpawns(target),
    };
    const few = await latencies(stage, ways, panes.few, { bare: 0.06, gated: 0.07 }, extent);
    const rates = await throughput(stage, ways, extent);
    await stage.growTo(panes.many);
    const many = await latencies(stage, ways, panes.many, { bare: 0.1, gated: 0.1 }, extent);
    return [...few, ...many, ...rates];
  } finally {
    await stage.close();
  }
}

interface Ways {
  readonly bare: Inject;
  readonly gated: Inject;
  readonly least: Inject;
  readonly spawned: Inject;
}

/** From the call until the program has read the last byte, in milliseconds. */
async function latencies(
  stage: TmuxStage,
  ways: Ways,
  panes: number,
  goals: { readonly bare: number; readonly gated: number },
  extent: Extent,
): Promise<readonly Row[]> {
  let turn = 0;
  const latency = (what: string, inject: Inject): Arm => ({
    what,
    async sample() {
      turn += 1;
      const target = stage.targets[turn % stage.targets.length];
      if (target === undefined) throw new Error("no pane");
      const wanted = target.echo.bytes + BYTES;
      const start = process.hrtime.bigint();
      const injected = inject(target);
      const end = await target.echo.hasRead(wanted);
      await injected;
      return msSince(start, end);
    },
  });
  const peer = latency("two spawns", ways.spawned);
  const gated = latency("gate", ways.gated);
  const sizes = sizesFor(extent, {
    quick: { rounds: 5, samplesPerRound: 6, warmUp: 2 },
    full: { rounds: 10, samplesPerRound: 10, warmUp: 2 },
  });
  return duels(
    [
      {
        group,
        name: `into a pane, one write, ${panes} panes`,
        ours: latency("one write", ways.bare),
        peer,
        unit: "ms",
        goal: atMost(goals.bare),
      },
      {
        group,
        name: `the same behind the gate, ${panes} panes`,
        ours: gated,
        peer,
        unit: "ms",
        goal: atMost(goals.gated),
      },
      {
        group,
        name: `the same, to the floor, ${panes} panes`,
        ours: gated,
        peer: latency("the same commands, without checks of the process", ways.least),
        unit: "ms",
        goal: atMost(1.5),
      },
    ],
    sizes,
  );
}

/** Deliveries per second until every program has read everything. */
async function throughput(stage: TmuxStage, ways: Ways, extent: Extent): Promise<readonly Row[]> {
  const rate = (what: string, inject: Inject, perPane: number, inFlightPerPane: number): Arm => ({
    what,
    async sample() {
      const ms = await timed(() =>
        Promise.all(stage.targets.map((target) => flood(target, inject, perPane, inFlightPerPane))),
      );
      return (perPane * stage.targets.length * 1_000) / ms;
    },
  });
  const inFlight = Math.ceil(IN_FLIGHT / stage.targets.length);
  const { many, few } = PER_PANE[extent];
  // Two spawns into one pane at a time: more of them at once would mix or lose messages.
  const peer = rate("two spawns, ten panes at once", ways.spawned, few, 1);
  const gated = rate("gate", ways.gated, many, inFlight);
  return duels(
    [
      {
        group,
        name: "deliveries/s, 10 panes, one write",
        ours: rate("one write", ways.bare, many, inFlight),
        peer,
        unit: "/s",
        goal: atLeast(50),
      },
      {
        group,
        name: "deliveries/s, 10 panes, behind the gate",
        ours: gated,
        peer,
        unit: "/s",
        goal: atLeast(50),
      },
      {
        group,
        name: "the same, to the floor, deliveries/s",
        ours: gated,
        peer: rate("the same commands, without checks of the process", ways.least, many, inFlight),
        unit: "/s",
        goal: atLeast(0.67),
      },
    ],
    sizesFor(extent, {
      quick: { rounds: 3, samplesPerRound: 1 },
      full: { rounds: 5, samplesPerRound: 1 },
    }),
  );
}

async function flood(target: Target, inject: Inject, count: number, inFlight: number): Promise<void> {
  const wanted = target.echo.bytes + count * BYTES;
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await inject(target);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  await target.echo.hasRead(wanted);
}
