/** A person at a real PTY whose output a screen model draws, so that a test sees what the person would see. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type IPty, spawn } from "@lydell/node-pty";
import { expect } from "vitest";
import type { Screen } from "../../src/core/readiness/screen.ts";
import { ScreenModel } from "../../src/terminals/pty/host/screen-model.ts";
import { WindowModel } from "../window-model.ts";
import type { Bellhop } from "./bellhop.ts";
import { until } from "./scripted-agent.ts";

export interface WindowSize {
  readonly cols: number;
  readonly rows: number;
}

/** What a person sees and types. */
export class AttachedPerson {
  readonly window: WindowModel;
  /** The same, as a host would describe it. */
  readonly #model: ScreenModel;
  readonly #pty: IPty;
  readonly #settings: string;
  readonly raw: Buffer[] = [];
  readonly exited: Promise<number>;

  /** Runs under a shell that stays: when the first process of a terminal ends, it hangs up and cannot be inspected. */
  constructor(command: readonly string[], size: WindowSize, env: Record<string, string>, settings: string) {
    this.#settings = settings;
    // Ctrl+C is for the command, not for this shell, as in an interactive shell.
    const script = 'trap : INT; "$@"; status=$?; stty -a > "$SETTINGS"; exit $status';
    this.window = new WindowModel(size);
    this.#model = new ScreenModel({ ...size, scrollback: 0 });
    const args = ["-c", script, "sh", ...command];
    const environment = { ...env, SETTINGS: settings };
    this.#pty = spawn("sh", args, { name: "xterm-256color", ...size, env: environment, encoding: null });
    this.#pty.onData((data) => {
      const bytes = data as unknown as Buffer;
      this.raw.push(bytes);
      this.window.write(bytes);
      this.#model.write(bytes);
    });
    this.exited = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode));
    });
  }

  /** The exit status of attach itself. */
  get pid(): number {
    const { pid } = this.#pty;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
  }

  type(keys: string | Buffer): void {
    this.#pty.write(keys as string);
  }

  resize({ cols, rows }: WindowSize): void {
    this.window.terminal.resize(cols, rows);
    this.#model.resize({ cols, rows });
    this.#pty.resize(cols, rows);
  }

  /** How the terminal treats typed input (`icanon`, `-echo`): now, or as attach has left it. */
  lineSettings(): readonly string[] {
    const { ptsName } = this.#pty as unknown as { readonly ptsName: string };
    const told = existsSync(this.#settings)
      ? readFileSync(this.#settings, "utf8")
      : execFileSync("stty", ["-F", ptsName, "-a"], { encoding: "utf8" });
    return told.split(/[\s;]+/);
  }

  text(): string {
    return this.window.text().join("\n");
  }

  /** Everything that was ever sent to this terminal. */
  output(): string {
    return Buffer.concat(this.raw).toString("utf8");
  }

  async screen(): Promise<Screen> {
    await this.#model.drawn();
    return this.#model.screen({ command: "", dead: false, mode: "" });
  }

  async sees(words: string | RegExp): Promise<void> {
    const holds = () => (typeof words === "string" ? this.text().includes(words) : words.test(this.text()));
    await until(holds, () => `${String(words)} in\n${this.text()}`);
  }

  /** The top left shows the host's screen, and the rest is empty. */
  async seesWhatTheHostSees(host: { screen(): Promise<Screen> }): Promise<Screen> {
    let told = "";
    let screen: Screen | undefined;
    await until(
      async () => {
        screen = await host.screen();
        const shown = await this.screen();
        const rows = shown.lines.slice(0, -2);
        const wanted = Array.from(
          { length: rows.length },
          (_, y) => screen?.lines[y] ?? { text: "", runs: [] },
        );
        told = `host:\n${wanted.map(({ text }) => text).join("\n")}\nshown:\n${rows.map(({ text }) => text).join("\n")}`;
        return JSON.stringify(rows) === JSON.stringify(wanted);
      },
      () => told,
    );
    if (screen === undefined) throw new Error("no screen");
    return screen;
  }

  close(): void {
    try {
      this.#pty.kill("SIGKILL");
    } catch {
      // It has ended by itself.
    }
    this.window.dispose();
  }
}

let seats = 0;

/** A person at their own terminal, with the real `bellhop attach`. */
export function sitDown(
  bellhop: Bellhop,
  who: string,
  size: WindowSize = { cols: 100, rows: 24 },
): AttachedPerson {
  seats += 1;
  const settings = join(bellhop.home, `settings-${seats}`);
  return new AttachedPerson([...bellhop.command, "attach", who], size, bellhop.env, settings);
}

/** The main screen, a visible cursor, no mode left on, and a line discipline that echoes again. */
export async function expectRestored(person: AttachedPerson, status: number): Promise<void> {
  expect(await person.exited).toBe(status);
  await until(
    () => !person.window.isAlternate,
    () => person.output(),
  );
  expect(person.window.cursorVisible).toBe(true);
  expect(person.lineSettings()).toEqual(expect.arrayContaining(["icanon", "echo", "isig", "icrnl", "opost"]));
  expect(person.window.terminal.modes).toMatchObject({
    bracketedPasteMode: false,
    mouseTrackingMode: "none",
    sendFocusMode: false,
    applicationCursorKeysMode: false,
    wraparoundMode: true,
    synchronizedOutputMode: false,
  });
}
