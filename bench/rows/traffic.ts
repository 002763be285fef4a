/** Who wrote to whom, counted from the store: what a window costs with a long past, and how long anybody else waits. */
import { TrafficCount } from "../../src/office/broker/traffic.ts";
import type { Ground } from "../../src/office/presence/ground.ts";
import type { Store } from "../../src/ports/store.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { systemClock } from "../../src/system/clock.ts";
import { aDelivery, aMessage } from "../../tests/contract/store-samples.ts";
import { type Arm, duels, growing, sizesFor, timed } from "../rounds.ts";
import { atMost, type Extent, type Row } from "../row.ts";

const group = "traffic";
const AGENTS = 50;
const MINUTE_MS = 60_000;
/** Messages of the last quarter of an hour. */
const RECENT: Record<Extent, number> = { smoke: 10, quick: 1_000, full: 1_000 };
const PAST: Record<Extent, readonly number[]> = {
  smoke: [1, 20],
  quick: [1_000, 100_000],
  full: [1_000, 100_000],
};
const WRITTEN_AT_ONCE = 5_000;

const ALL_GOAL: Arm = { what: "the goal", sample: () => 500 };
const PAGE_GOAL: Arm = { what: "the goal", sample: () => 20 };

export async function trafficRows(extent: Extent): Promise<readonly Row[]> {
  const offices = PAST[extent].map((past) => new CountingOffice(past, RECENT[extent]));
  try {
    for (const office of offices) await office.open();
    const last = offices.at(-1);
    if (last === undefined) return [];
    const size = last.past.toLocaleString("en");
    return await duels(
      [
        ...growing({
          group,
          axis: "done messages",
          work: "who wrote to whom, the last 15 minutes",
          unit: "ms",
          arms: offices.map((office) => [office.past, office.recently]),
          goal: atMost(1.5),
        }),
        {
          group,
          name: `who wrote to whom, all ${size} messages`,
          ours: last.ever,
          peer: ALL_GOAL,
          unit: "ms",
          goal: atMost(1),
        },
        {
          group,
          name: "one page of it, during which nobody else gets a turn",
          ours: last.page,
          peer: PAGE_GOAL,
          unit: "ms",
          goal: atMost(1),
        },
      ],
      sizesFor(extent, {
        quick: { rounds: 10, samplesPerRound: 1 },
        full: { rounds: 20, samplesPerRound: 2 },
      }),
    );
  } finally {
    for (const office of offices) await office.close();
  }
}

class CountingOffice {
  readonly past: number;
  readonly recently: Arm;
  readonly ever: Arm;
  readonly page: Arm;
  readonly #recent: number;
  #store: Store | undefined;

  constructor(past: number, recent: number) {
    this.past = past;
    this.#recent = recent;
    const what = `${past.toLocaleString("en")} older messages`;
    this.recently = { what, sample: () => timed(() => this.#count().within(15 * MINUTE_MS)) };
    this.ever = { what, sample: () => timed(() => this.#count().within()) };
    this.page = {
      what,
      sample: () =>
        timed(async () =>
          this.#asked().read.talked({ since: 0, until: Number.MAX_SAFE_INTEGER, limit: 5_000 }),
        ),
    };
  }

  async open(): Promise<void> {
    this.#store = await openStore({ path: ":memory:" });
    const now = Date.now();
    await this.#fill(this.past, now - 24 * 60 * MINUTE_MS);
    await this.#fill(this.#recent, now - MINUTE_MS);
  }

  async #fill(messages: number, at: number): Promise<void> {
    for (let done = 0; done < messages; done += WRITTEN_AT_ONCE)
      await this.#asked().write((tx) => {
        for (let number = done; number < Math.min(messages, done + WRITTEN_AT_ONCE); number += 1) {
          const message = aMessage({ from: `agent/a${number % AGENTS}`, createdAt: at });
          tx.insertMessage(message);
          const to = `agent/a${(number * 7 + 1) % AGENTS}`;
          tx.insertDelivery(aDelivery(message.id, { to, queuedAt: at, state: "read" }));
        }
      });
  }

  #count(): TrafficCount {
    const store = this.#asked();
    const directory = { ownerOf: (address: string) => address };
    return new TrafficCount({ context: { store, clock: systemClock }, directory } as unknown as Ground);
  }

  #asked(): Store {
    if (this.#store === undefined) throw new Error("the store was not opened");
    return this.#store;
  }

  async close(): Promise<void> {
    await this.#store?.close();
  }
}
