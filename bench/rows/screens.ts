/** What looking at a terminal costs its program: how long it writes, with a viewer who reads, one who does not, none. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ScreensStage } from "../../tests/contract/screens-stage.ts";
import { until } from "../../tests/rig/scripted-agent.ts";
import { type Arm, duels, sizesFor } from "../rounds.ts";
import { atMost, type Extent, type Row } from "../row.ts";

const group = "screens";
const FLOOD = fileURLToPath(new URL("../rig/flood-program.mjs", import.meta.url));
const MEGABYTES: Record<Extent, number> = { smoke: 1, quick: 10, full: 20 };

export async function screenRows(extent: Extent): Promise<readonly Row[]> {
  const stage = await ScreensStage.open();
  try {
    const flood = await Flood.open(stage, MEGABYTES[extent]);
    const peer = flood.arm("nobody looks", async () => () => {});
    return await duels(
      [
        {
          group,
          name: "a program in tmux writes at full speed, a viewer reads",
          ours: flood.arm("a viewer reads", () => flood.look("reads")),
          peer,
          unit: "ms",
          goal: atMost(2),
        },
        {
          group,
          name: "the same, and the viewer has stopped reading",
          ours: flood.arm("a viewer has stopped reading", () => flood.look("stalls")),
          peer,
          unit: "ms",
          goal: atMost(1.2),
        },
      ],
      sizesFor(extent, {
        quick: { rounds: 3, samplesPerRound: 1, warmUp: 1, withinMs: 60_000 },
        full: { rounds: 7, samplesPerRound: 1, warmUp: 1, withinMs: 180_000 },
      }),
    );
  } finally {
    await stage.close();
  }
}

class Flood {
  readonly #stage: ScreensStage;
  readonly #pane: string;
  readonly #id: string;
  readonly #log: string;

  private constructor(stage: ScreensStage, pane: string, id: string, log: string) {
    this.#stage = stage;
    this.#pane = pane;
    this.#id = id;
    this.#log = log;
  }

  static async open(stage: ScreensStage, megabytes: number): Promise<Flood> {
    const log = join(stage.tmux.folder, "flood.log");
    const pane = await stage.runs([process.execPath, FLOOD, log, String(megabytes)]);
    await stage.tmux.waitForScreen(pane, (screen) => screen.includes("ready"));
    return new Flood(stage, pane, await stage.found(pane), log);
  }

  arm(what: string, begin: () => Promise<() => void>): Arm {
    return {
      what,
      sample: async () => {
        const end = await begin();
        const took = await this.#write();
        end();
        return took;
      },
    };
  }

  async look(how: "reads" | "stalls"): Promise<() => void> {
    const page = await this.#stage.page();
    page.draws = false;
    await page.look(1, this.#id);
    if (how === "stalls") page.socket.pause();
    return () => page.close();
  }

  async #write(): Promise<number> {
    const before = this.#times().length;
    await this.#stage.tmux.run("send-keys", "-t", this.#pane, "Enter");
    await until(() => this.#times().length > before, "the end of the flood", 120_000);
    return this.#times().at(-1) ?? Number.NaN;
  }

  #times(): readonly number[] {
    if (!existsSync(this.#log)) return [];
    return readFileSync(this.#log, "utf8").split("\n").slice(0, -1).map(Number);
  }
}
