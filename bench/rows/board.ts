/** What one reader of the board costs while much happens: the CPU of an event, with a reader and without. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Office } from "../../src/office/office.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import type { BoardReading } from "../../src/wire/verbs/streams.ts";
import { officeOver } from "../../tests/contract/broker-doors.ts";
import { rememberedLog } from "../../tests/contract/scripted-use-cases.ts";
import { type Arm, duels, sizesFor } from "../rounds.ts";
import { atMost, type Extent, type Row } from "../row.ts";

const group = "board";
const CLAIMS = { user: "dev" };
const AGENTS: Record<Extent, number> = { smoke: 5, quick: 200, full: 200 };
/** A message that comes, and one that is taken, each tick: 2,000 events in a second. */
const EVENTS_EACH_TICK = 20;
const TICK_MS = 10;
const TICKS: Record<Extent, number> = { smoke: 2, quick: 100, full: 100 };

export async function boardRows(extent: Extent): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "bellhop-bench-"));
  const store = await openStore({ path: join(folder, "bellhop.db") });
  const office = officeOver(store, folder, rememberedLog());
  await office.open([]);
  const agents = Array.from({ length: AGENTS[extent] }, (_, index) => `agent-${index}`);
  for (const name of agents) await office.useCases.agent_add({ name }, CLAIMS);
  const busy = new BusyOffice(office, agents, TICKS[extent]);
  try {
    return await duels(
      [
        {
          group,
          name: `CPU of an event, ${agents.length} agents, one reader of the board`,
          ours: busy.read,
          peer: busy.unread,
          unit: "µs",
          goal: atMost(2),
        },
      ],
      sizesFor(extent, {
        quick: { rounds: 3, samplesPerRound: 1 },
        full: { rounds: 10, samplesPerRound: 1 },
      }),
    );
  } finally {
    await office.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

class BusyOffice {
  readonly read: Arm = { what: "one reader, 2,000 events/s", sample: () => this.#whileRead() };
  readonly unread: Arm = { what: "no reader", sample: () => this.#cpuOfAnEvent() };
  readonly #office: Office;
  readonly #agents: readonly string[];
  readonly #ticks: number;
  #next = 0;

  constructor(office: Office, agents: readonly string[], ticks: number) {
    this.#office = office;
    this.#agents = agents;
    this.#ticks = ticks;
  }

  /** As a door does: it takes every frame at once and writes it as text. */
  async #whileRead(): Promise<number> {
    let reading: BoardReading | undefined;
    let bytes = 0;
    const take = (): void => {
      const frame = reading?.take();
      if (frame !== undefined) bytes += JSON.stringify(frame).length;
    };
    reading = await this.#office.streams.board({}, take, CLAIMS);
    while (bytes === 0) {
      take();
      await pause(1);
    }
    const cpu = await this.#cpuOfAnEvent();
    reading.close();
    return cpu;
  }

  async #cpuOfAnEvent(): Promise<number> {
    const before = process.cpuUsage();
    for (let tick = 0; tick < this.#ticks; tick += 1) {
      await Promise.all(Array.from({ length: EVENTS_EACH_TICK / 2 }, () => this.#comesAndIsTaken()));
      await pause(TICK_MS);
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / (this.#ticks * EVENTS_EACH_TICK);
  }

  async #comesAndIsTaken(): Promise<void> {
    const { useCases } = this.#office;
    const agent = this.#agents[this.#next % this.#agents.length] ?? "";
    this.#next += 1;
    await useCases.route({ path: `agent/${agent}`, body: "hello", claims: CLAIMS }, CLAIMS);
    await useCases.receive({ agent, claims: CLAIMS }, CLAIMS);
  }
}
