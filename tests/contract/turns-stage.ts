/** Agents whose turns are a shell script of the test, run by the daemon as it is built. */
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { OPEN_TURN_STATES } from "../../src/core/turns/turn.ts";
import type { TurnsResponse } from "../../src/wire/shapes/turns.ts";
import { Bellhop, bellhopOnPath } from "../rig/bellhop.ts";
import { until } from "../rig/scripted-agent.ts";

const user = userInfo().username;
export const claims = { user };

export interface TurnsStageOptions {
  readonly agents: readonly string[];
  /** Reads the prompt on its standard input and prints the answer. In `$LOG` it writes what the test looks at. */
  readonly script: string;
  /** Keys of the section `turns`, such as `at_once: 2`. */
  readonly turns?: string;
  /** More lines of config.yaml. */
  readonly config?: string;
}

const QUICK = 'enabled: true, runner: command, debounce_ms: 50, triage_model: ""';

export class TurnsStage {
  readonly bellhop = new Bellhop();
  readonly #log = join(this.bellhop.home, "log");

  static async open(options: TurnsStageOptions): Promise<TurnsStage> {
    const stage = new TurnsStage(options);
    await stage.bellhop.start();
    return stage;
  }

  private constructor({ agents, script, turns, config = "" }: TurnsStageOptions) {
    const { home, env } = this.bellhop;
    const file = join(home, "turn.sh");
    writeFileSync(file, `LOG=${JSON.stringify(this.#log)}\n${script}\n`);
    const bin = bellhopOnPath(join(home, "bin"));
    env.PATH = [bin, dirname(process.execPath), env.PATH ?? ""].join(delimiter);
    const more = turns === undefined ? "" : `, ${turns}`;
    const words = `${QUICK}, command: [sh, ${JSON.stringify(file)}], cwd: ${JSON.stringify(home)}${more}`;
    const named = agents.map((name) => `  - name: ${name}\n`).join("");
    appendFileSync(join(home, "config.yaml"), `turns: { ${words} }\nagents:\n${named}${config}\n`);
  }

  /** What the turns themselves wrote down, not what Bellhop believes. */
  lines(): readonly string[] {
    return existsSync(this.#log) ? readFileSync(this.#log, "utf8").split("\n").slice(0, -1) : [];
  }

  /** For scripts that wait while there is a file of this name. */
  shut(gate: string): void {
    writeFileSync(join(this.bellhop.home, gate), "");
  }

  open(gate: string): void {
    rmSync(join(this.bellhop.home, gate), { force: true });
  }

  async restart(signal: NodeJS.Signals): Promise<void> {
    await this.bellhop.stop(signal);
    await this.bellhop.start();
  }

  turns(): Promise<TurnsResponse> {
    return this.bellhop.ask("turns", { limit: 1_000 });
  }

  async running(): Promise<number> {
    const { turns } = await this.turns();
    return turns.filter(({ state }) => OPEN_TURN_STATES.some((open) => open === state)).length;
  }

  /** No turn runs, and what still waits does not wait for one of the others or for a moment's silence. */
  async settled(): Promise<void> {
    let now: TurnsResponse | undefined;
    const isSettled = async () => {
      now = await this.turns();
      const isSoon = now.waiting.some(({ release }) => /nobody has written|turns that run/u.test(release));
      return !isSoon && (await this.running()) === 0;
    };
    await until(isSettled, () => `all turns to end: ${JSON.stringify(now?.waiting)}`);
  }

  /** The texts in somebody's mailbox, oldest first. */
  async came(who: string): Promise<readonly string[]> {
    const { entries } = await this.bellhop.ask("inbox", { who, claims });
    return entries.map(({ message }) => message.body);
  }

  close(): Promise<void> {
    return this.bellhop.dispose();
  }
}
