/** A store with many messages: how soon the daemon answers, its memory by then, and how soon it accepts. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Client, connect } from "../../src/client/connect.ts";
import { Bellhop } from "../../tests/rig/bellhop.ts";
import { fillStore } from "../rig/large-store.ts";
import { residentMegabytes } from "../rig/process-memory.ts";
import { type Arm, duels, growing, median, sizesFor, timed } from "../rounds.ts";
import { atMost, type Extent, type Row } from "../row.ts";

const group = "start";
const DONE: Record<Extent, readonly number[]> = {
  smoke: [0, 10],
  quick: [0, 1_000, 100_000],
  full: [0, 100_000, 1_000_000],
};
/** Some of them wait. */
const WAITING = 100;
const PENDING: Record<Extent, number> = { smoke: 10, quick: 10_000, full: 10_000 };
const SENDS = 40;
const DAEMON = fileURLToPath(new URL("../../dist/start-daemon.cjs", import.meta.url));
const DEADLINE_MS = 60_000;
const POLL_MS = 20;
/** They open nothing. */
const SECRETS = {
  BENCH_SECRET: "7000000001:a-secret-that-opens-nothing-at-all",
  BENCH_APP: "xapp-1-A0BENCH-1-0123456789abcdef",
  BENCH_BOT: "xoxb-1-1-abcdefghijklmnop",
};
/** Their libraries are loaded; nobody answers at these addresses. */
const FIVE_BRIDGES = `bridges:
  telegram: { token_env: BENCH_SECRET, api_root: "http://127.0.0.1:9" }
  slack: { app_token_env: BENCH_APP, bot_token_env: BENCH_BOT, api_url: "http://127.0.0.1:9/api/" }
  email:
    address: bench@example.org
    imap: { host: 127.0.0.1, port: 9, user: bench, password_env: BENCH_SECRET }
    smtp: { host: 127.0.0.1, port: 9 }
  webhook: { port: 0, ci: { kind: token, secret_env: BENCH_SECRET } }
  imessage: { handles: ["+15551234567"], chat_db: /nowhere/chat.db }
`;

export async function startRows(extent: Extent): Promise<readonly Row[]> {
  return [
    ...(await readyRows(extent)),
    ...(await bridgeRows(extent)),
    ...(await pendingRows(extent)),
    ...(await doneRows(extent)),
  ];
}

async function readyRows(extent: Extent): Promise<readonly Row[]> {
  const empty = new StoppedDaemon();
  const setting = { group, unit: "ms", goal: atMost(4) } as const;
  const peer: Arm = { what: "node -e 0", sample: () => timed(() => empty.node("-e", "0")) };
  try {
    return await duels(
      [{ ...setting, name: "ready after start", ours: ready("an empty store", empty), peer }],
      sizesFor(extent, {
        quick: { rounds: 9, samplesPerRound: 1 },
        full: { rounds: 25, samplesPerRound: 1 },
      }),
    );
  } finally {
    await empty.dispose();
  }
}

/** What nobody has configured costs nothing. */
async function bridgeRows(extent: Extent): Promise<readonly Row[]> {
  const [without, configured] = [new StoppedDaemon(), new StoppedDaemon(FIVE_BRIDGES)];
  try {
    return await duels(
      [
        {
          group,
          name: "ready after start, without bridges",
          ours: ready("no bridge", without),
          peer: ready("five bridges", configured),
          unit: "ms",
          goal: atMost(1.1),
        },
        {
          group,
          name: "  and memory once the bridges were loaded",
          ours: settledMemory("no bridge", without),
          peer: settledMemory("five bridges", configured),
          unit: "MB",
          goal: atMost(0.9),
        },
      ],
      sizesFor(extent, {
        quick: { rounds: 7, samplesPerRound: 1 },
        full: { rounds: 15, samplesPerRound: 1 },
      }),
    );
  } finally {
    await without.dispose();
    await configured.dispose();
  }
}

async function pendingRows(extent: Extent): Promise<readonly Row[]> {
  const [full, empty] = [new StoppedDaemon(), new StoppedDaemon()];
  const pending = PENDING[extent];
  const what = `${pending.toLocaleString("en")} pending`;
  try {
    await fillStore(full.database, pending, pending);
    const setting = { group, goal: atMost(1.2) };
    return await duels(
      [
        {
          ...setting,
          name: `ready after start, ${what}`,
          ours: ready(what, full),
          peer: ready("an empty store", empty),
          unit: "ms",
        },
        {
          ...setting,
          name: "  and memory by then",
          ours: memory(what, full),
          peer: memory("an empty store", empty),
          unit: "MB",
        },
      ],
      sizesFor(extent, {
        quick: { rounds: 7, samplesPerRound: 1 },
        full: { rounds: 15, samplesPerRound: 1 },
      }),
    );
  } finally {
    await full.dispose();
    await empty.dispose();
  }
}

async function doneRows(extent: Extent): Promise<readonly Row[]> {
  const sizes = DONE[extent].map((messages) => [messages, new StoppedDaemon()] as const);
  try {
    for (const [messages, { database }] of sizes)
      if (messages > 0) await fillStore(database, messages, Math.min(messages, WAITING));
    const arms = (arm: (what: string, daemon: StoppedDaemon) => Arm) =>
      sizes.map(
        ([messages, daemon]) => [messages, arm(`${messages.toLocaleString("en")} messages`, daemon)] as const,
      );
    const growth = { group, axis: "done messages", unit: "ms" } as const;
    return await duels(
      [
        ...growing({ ...growth, work: "ready after start", arms: arms(ready), goal: atMost(1.2) }),
        ...growing({ ...growth, work: "the next sends", arms: arms(accepting), goal: atMost(1.1) }),
      ],
      sizesFor(extent, {
        quick: { rounds: 9, samplesPerRound: 1 },
        full: { rounds: 9, samplesPerRound: 1 },
      }),
    );
  } finally {
    for (const [, daemon] of sizes) await daemon.dispose();
  }
}

function ready(what: string, daemon: StoppedDaemon): Arm {
  return { what, sample: () => daemon.whileUp(async (_client, { readyMs }) => readyMs) };
}

function memory(what: string, daemon: StoppedDaemon): Arm {
  return { what, sample: () => daemon.whileUp(async (_client, { pid }) => residentMegabytes(pid)) };
}

function settledMemory(what: string, daemon: StoppedDaemon): Arm {
  const sample = () =>
    daemon.whileUp(async (client, { pid }) => {
      const isStarting = async () =>
        (await client.call("bridges", {})).bridges.some(({ state }) => state === "starting");
      while (await isStarting()) await sleep(POLL_MS);
      return residentMegabytes(pid);
    });
  return { what, sample };
}

function accepting(what: string, daemon: StoppedDaemon): Arm {
  return { what, sample: () => daemon.whileUp((client) => acceptMs(client)) };
}

async function acceptMs(client: Client): Promise<number> {
  const claims = { user: "bench" };
  const took: number[] = [];
  for (let count = 0; count < SENDS; count += 1) {
    took.push(await timed(() => client.call("send", { to: "person/bench", body: "hello", claims })));
  }
  return median(took);
}

interface Started {
  readonly readyMs: number;
  readonly pid: number | undefined;
}

/** A home whose daemon is started for each sample. */
class StoppedDaemon {
  readonly #bellhop: Bellhop;

  constructor(config = "") {
    this.#bellhop = new Bellhop({ config, env: SECRETS });
    mkdirSync(join(this.#bellhop.home, "logs"), { recursive: true, mode: 0o700 });
  }

  get database(): string {
    return join(this.#bellhop.home, "bellhop.db");
  }

  /** Another program, in the same surroundings. */
  async node(...args: readonly string[]): Promise<void> {
    const child = spawn(process.execPath, args, { env: this.#bellhop.env, stdio: "ignore" });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`node ${args.join(" ")} ended with ${code}`);
  }

  async whileUp(work: (client: Client, started: Started) => Promise<number>): Promise<number> {
    const { env, home, socket } = this.#bellhop;
    const start = performance.now();
    const child = spawn(process.execPath, [DAEMON], {
      // Separate from the user's own tmux server and agents.
      env: { ...env, TMUX_TMPDIR: home, HOME: home },
      stdio: ["ignore", "ignore", "inherit"],
    });
    try {
      const client = await answering(socket, child);
      const readyMs = performance.now() - start;
      const result = await work(client, { readyMs, pid: child.pid });
      client.close();
      return result;
    } finally {
      await ended(child);
    }
  }

  async dispose(): Promise<void> {
    await this.#bellhop.dispose();
  }
}

async function answering(socket: string, child: ChildProcess): Promise<Client> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the daemon ended with ${child.exitCode}`);
    try {
      const client = await connect(socket);
      await client.call("status", {});
      return client;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(2);
    }
  }
}

async function ended(child: ChildProcess): Promise<void> {
  const exited = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once("exit", () => resolve());
  });
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
  await exited;
  clearTimeout(timer);
}
