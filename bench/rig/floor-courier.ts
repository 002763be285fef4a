import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openStore } from "../../src/store/sqlite/store.ts";
import { BENCH_CLAIMS, type BenchAgent, type DaemonStage } from "./daemon-stage.ts";

const PROGRAM = fileURLToPath(new URL("./floor-courier.mjs", import.meta.url));
/** Its own attaching counts as a key of that session, and tmux counts whole seconds. */
const QUIET_MS = 3_500;

/** The least that a delivery costs, next to a daemon: see `floor-courier.mjs`. */
export class FloorCourier {
  readonly #stage: DaemonStage;
  readonly #child: ReturnType<typeof spawn>;
  readonly #places = new Map<string, string>();

  private constructor(stage: DaemonStage, child: ReturnType<typeof spawn>) {
    this.#stage = stage;
    this.#child = child;
  }

  static async open(stage: DaemonStage): Promise<FloorCourier> {
    const { tmux, agents } = stage;
    const session = agents[0]?.name ?? "";
    const database = join(tmux.folder, "floor.db");
    await (await openStore({ path: database })).close();
    const child = spawn(process.execPath, [PROGRAM, tmux.socket, session, database], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    if (child.stdout === null) throw new Error("the floor has no output");
    await once(createInterface({ input: child.stdout }), "line");
    const floor = new FloorCourier(stage, child);
    for (const { pane } of agents)
      floor.#places.set(pane, (await tmux.ask(pane, "#{window_id} #{pane_pid}")).trim());
    await sleep(QUIET_MS);
    return floor;
  }

  /** From the request until the agent has read the prompt, in milliseconds. */
  async send({ name, pane }: BenchAgent): Promise<number> {
    const { body, read } = this.#stage.newText();
    const start = performance.now();
    this.#child.stdin?.write(
      `${pane} ${this.#places.get(pane)} ${JSON.stringify({ to: name, body, claims: BENCH_CLAIMS })}\n`,
    );
    return (await read) - start;
  }

  async close(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.stdin?.end();
    await exited;
  }
}
