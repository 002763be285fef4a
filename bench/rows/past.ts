/** What history and other agents cost: the same daemon with few past sessions and many, with few agents and many. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../../src/client/connect.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { Bellhop } from "../../tests/rig/bellhop.ts";
import { type Arm, duels, growing, sizesFor, timed } from "../rounds.ts";
import { atMost, type Extent, type Row } from "../row.ts";

const group = "past";
const IN_FLIGHT = 100;
/** One agent has half of all sessions, like a long-lived agent; the others share the rest. */
const OTHER_AGENTS = 100;
const SESSIONS: Record<Extent, readonly number[]> = {
  smoke: [2, 4],
  quick: [10, 1_000, 10_000],
  full: [10, 1_000, 10_000],
};
const AGENTS: Record<Extent, readonly number[]> = {
  smoke: [2, 4],
  quick: [10, 100, 1_000],
  full: [10, 100, 1_000],
};

/** A single sync of the disk may take as long as all the rest of a sample, so there are many samples. */
const SENDS = {
  quick: { rounds: 15, samplesPerRound: 4, warmUp: 3 },
  full: { rounds: 30, samplesPerRound: 5, warmUp: 3 },
};
const LISTS = {
  quick: { rounds: 10, samplesPerRound: 1 },
  full: { rounds: 20, samplesPerRound: 2 },
};

/** It need not be as quick for many agents as for few, only quick. */
const LIST_GOAL: Arm = { what: "the goal", sample: () => 20 };

export async function pastRows(extent: Extent): Promise<readonly Row[]> {
  const long = SESSIONS[extent].map((sessions) => [sessions, new PastDaemon(sessions)] as const);
  const few = SESSIONS[extent][0] ?? 0;
  const crowded = AGENTS[extent].map((agents) => [agents, new PastDaemon(few, agents)] as const);
  const daemons = [...long, ...crowded].map(([, daemon]) => daemon);
  try {
    for (const daemon of daemons) await daemon.open();
    const axes = [
      ["past sessions", long],
      ["agents", crowded],
    ] as const;
    const sends = axes.flatMap(([axis, sizes]) =>
      growing({
        group,
        axis,
        work: `send, ${IN_FLIGHT} in flight`,
        unit: "µs",
        arms: sizes.map(([size, { sending }]) => [size, sending]),
        goal: atMost(1.1),
      }),
    );
    const lists = axes.flatMap(([axis, sizes]) =>
      growing({
        group,
        axis,
        work: "list of agents",
        unit: "ms",
        arms: sizes.map(([size, { listing }]) => [size, listing]),
      }),
    );
    const longest = crowded.slice(-1).map(([agents, { listing }]) => ({
      group,
      name: `list of ${agents.toLocaleString("en")} agents`,
      ours: listing,
      peer: LIST_GOAL,
      unit: "ms" as const,
      goal: atMost(1),
    }));
    return [
      ...(await duels(sends, sizesFor(extent, SENDS))),
      ...(await duels([...lists, ...longest], sizesFor(extent, LISTS))),
    ];
  } finally {
    for (const daemon of daemons) await daemon.dispose();
  }
}

class PastDaemon {
  readonly sending: Arm;
  readonly listing: Arm;
  readonly #sessions: number;
  readonly #agents: number;
  readonly #bellhop = new Bellhop();
  #client: Client | undefined;

  constructor(sessions: number, agents = OTHER_AGENTS) {
    this.#sessions = sessions;
    this.#agents = agents;
    const what = `${sessions.toLocaleString("en")} past sessions, ${agents.toLocaleString("en")} agents`;
    this.sending = { what, sample: () => this.#send() };
    this.listing = { what, sample: () => timed(() => this.#asked().call("agent_list", {})) };
  }

  async open(): Promise<void> {
    mkdirSync(join(this.#bellhop.home, "logs"), { recursive: true, mode: 0o700 });
    await this.#fill();
    // Separate from the user's own tmux server and agents.
    await this.#bellhop.start({ TMUX_TMPDIR: this.#bellhop.home, HOME: this.#bellhop.home });
    this.#client = await this.#bellhop.client();
  }

  async #fill(): Promise<void> {
    const store = await openStore({ path: join(this.#bellhop.home, "bellhop.db") });
    await store.write((tx) => {
      for (let number = 0; number <= this.#agents; number += 1)
        tx.putAgent({
          name: nameOf(number),
          createdAt: 1,
          origin: "discovered",
          chosen: false,
          paused: false,
        });
      for (let number = 0; number < this.#sessions; number += 1)
        tx.putSession({
          id: (0xa0000000 + number).toString(16),
          agent: nameOf(number % 2 === 0 ? 0 : (number % this.#agents) + 1),
          main: true,
          program: "claude",
          label: `work:${number}.0`,
          title: "",
          folder: "/work",
          hooked: true,
          startedAt: 1,
          lastActiveAt: 1,
          exitedAt: 2 + number,
        });
    });
    await store.close();
  }

  async #send(): Promise<number> {
    const request = { to: nameOf(0), body: "hello", claims: { user: "bench" } };
    const client = this.#asked();
    const ms = await timed(() =>
      Promise.all(Array.from({ length: IN_FLIGHT }, () => client.call("send", request))),
    );
    return (ms * 1_000) / IN_FLIGHT;
  }

  #asked(): Client {
    if (this.#client === undefined) throw new Error("the daemon was not opened");
    return this.#client;
  }

  dispose(): Promise<void> {
    return this.#bellhop.dispose();
  }
}

function nameOf(number: number): string {
  return number === 0 ? "coder" : `agent-${number}`;
}
