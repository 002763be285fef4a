/** Where the time of a message goes: the cost of each named step, as a fraction of the whole path to the program. */
import { startDaemon } from "../../src/daemon/compose.ts";
import { openHome } from "../../src/home/home.ts";
import type { Walking } from "../../src/office/base/walk.ts";
import type { Bellhop } from "../../tests/rig/bellhop.ts";
import { DaemonStage } from "../rig/daemon-stage.ts";
import { median, quantile } from "../rounds.ts";
import type { Extent, Row } from "../row.ts";

const group = "steps";
const SIZES: Record<Extent, { readonly agents: number; readonly rounds: number; readonly warmUp: number }> = {
  smoke: { agents: 1, rounds: 1, warmUp: 0 },
  quick: { agents: 10, rounds: 4, warmUp: 1 },
  full: { agents: 10, rounds: 12, warmUp: 2 },
};
/** Takes as long as the program needs after it got the keys. */
const AFTER_THE_KEYS = new Set(["paste.await-proof"]);

export async function stepRows(extent: Extent): Promise<readonly Row[]> {
  const steps = new Steps();
  const { agents, rounds, warmUp } = SIZES[extent];
  const stage = await DaemonStage.open(agents, { start: (bellhop) => startInside(bellhop, steps) });
  try {
    const whole: number[] = [];
    for (let round = -warmUp; round < rounds; round += 1) {
      if (round === 0) steps.forget();
      for (const agent of stage.agents) {
        const ms = await stage.sendByClient(agent);
        if (round >= 0) whole.push(ms * 1_000);
      }
      await stage.allIdle();
    }
    return steps.rows(whole);
  } finally {
    await stage.close();
    await steps.stop();
  }
}

async function startInside(bellhop: Bellhop, steps: Steps): Promise<number> {
  const silent = (): void => {};
  const daemon = await startDaemon({
    home: openHome(bellhop.env, { create: true }),
    environment: bellhop.env,
    secrets: bellhop.env,
    hide: silent,
    log: { info: silent, warn: silent, error: silent },
    checkpoint: silent,
    timed: steps.timed,
    isOverruled: () => false,
    onStopped: silent,
  });
  steps.stop = daemon.stop;
  return process.pid;
}

class Steps {
  readonly timed: NonNullable<Walking["timed"]> = (name, take) => {
    const start = performance.now();
    const end = <T>(value: T): T => {
      this.#note(name, performance.now() - start);
      return value;
    };
    const taken = take();
    return taken instanceof Promise ? (taken.then(end) as typeof taken) : end(taken);
  };
  stop: () => Promise<void> = async () => {};
  readonly #times = new Map<string, number[]>();

  #note(name: string, ms: number): void {
    const times = this.#times.get(name);
    if (times === undefined) this.#times.set(name, [ms * 1_000]);
    else times.push(ms * 1_000);
  }

  forget(): void {
    this.#times.clear();
  }

  rows(whole: readonly number[]): readonly Row[] {
    const peer = {
      what: "client → committed → read by the program",
      median: median(whole),
      unit: "µs",
    } as const;
    const times = [...this.#times].filter(([name]) => !AFTER_THE_KEYS.has(name));
    const row = (name: string, costs: readonly number[]): Row => ({
      group,
      name,
      ratio: median(costs) / peer.median,
      spread: [quantile(costs, 0.25) / peer.median, quantile(costs, 0.75) / peer.median],
      goal: undefined,
      ours: { what: name, median: median(costs), unit: "µs" },
      peer,
      rounds: costs.length,
    });
    const named = times.map(([name, costs]) => row(name, costs));
    const rest = peer.median - named.reduce((sum, { ours }) => sum + ours.median, 0);
    return [...named, row("between the steps: doors, commits, wakes, the program", [rest])];
  }
}
