/** An agent under a shell, and what a person runs in front of it while it is suspended, in any kind of terminal. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readScriptedLog, scriptedCommand, until } from "../rig/scripted-agent.ts";

/** Each with a prompt that looks like the agent's composer, and without its user's configuration. */
export const SHELLS = {
  bash: { command: ["bash", "--norc", "--noprofile", "-i"], first: "PS1='> ' PS2='> '" },
  zsh: { command: ["zsh", "-f", "-i"], first: "PS1='> ' PS2='> '; unsetopt nomatch" },
  fish: { command: ["fish", "--no-config", "-i"], first: "function fish_prompt; echo -n '> '; end" },
  dash: { command: ["dash", "-i"], first: "PS1='> ' PS2='> '" },
} as const;
export type Shell = keyof typeof SHELLS;

/** What is in front of the agent while it is suspended. */
export const FRONTS = ["the shell itself", "a node REPL", "a here-document", "a second copy"] as const;
export type Front = (typeof FRONTS)[number];

/** Every shell with everything in front. */
export const SCENES: readonly Scene[] = (Object.keys(SHELLS) as readonly Shell[]).flatMap((shell) =>
  FRONTS.map((front, index) => ({ name: `${shell}-${index}`, shell, front })),
);

export interface Scene {
  readonly name: string;
  readonly shell: Shell;
  readonly front: Front;
}

/** A terminal that was opened with the shell, and a person at its keyboard. */
export interface ShellTerminal {
  /** As sessions name it. */
  readonly pane: string;
  press(keys: string): Promise<void>;
  screen(): Promise<string>;
  /** The name of the program in the foreground. */
  inFront(): Promise<string>;
  /**
   * Types to the agent that is there now, with the look and the gate of this release but without checking that it is in
   * front. Resolves with whether the text was typed.
   */
  uncheckedGate(): Promise<(text: string) => Promise<boolean>>;
}

export const ERASE_LINE = "\x15";
const SUSPEND = "\x1a";
const END_OF_FILE = "\x04";
const PATIENCE_MS = 180_000;
const ONE_TRY_MS = 10_000;
const MOST_TRIES = 3;

export class SuspendDesk {
  readonly name: string;
  readonly #scene: Scene;
  readonly #terminal: ShellTerminal;
  readonly #logFile: string;
  readonly #copyLog: string;
  readonly #read: string;
  #pressedAtMs = 0;

  constructor(scene: Scene, terminal: ShellTerminal, folder: string) {
    this.name = scene.name;
    this.#scene = scene;
    this.#terminal = terminal;
    this.#logFile = join(folder, `${this.name}.jsonl`);
    this.#copyLog = join(folder, `${this.name}-copy.jsonl`);
    this.#read = join(folder, `${this.name}-read`);
  }

  get pane(): string {
    return this.#terminal.pane;
  }

  async open(): Promise<void> {
    const { shell } = this.#scene;
    await this.#isInFront(shell);
    await this.enter(SHELLS[shell].first);
    await this.#showsPrompt();
  }

  async press(keys: string): Promise<void> {
    this.#pressedAtMs = performance.now();
    await this.#terminal.press(keys);
  }

  async enter(line: string): Promise<void> {
    await this.press(`${line}\r`);
  }

  /** Waits until the person's last key is this old. */
  async untilQuiet(forMs: number): Promise<void> {
    await sleep(Math.max(0, this.#pressedAtMs + forMs - performance.now()));
  }

  /** By key, or by a signal from elsewhere; dash always by key, because after a signal its terminal stays in raw mode. */
  async stop(pid: number, by: "key" | "signal", atMs: number): Promise<void> {
    const wait = atMs - performance.now();
    if (wait > 0) await sleep(wait);
    if (by === "key" || this.#scene.shell === "dash") await this.press(SUSPEND);
    else process.kill(-pid, "SIGSTOP");
  }

  prompts(): readonly string[] {
    return readScriptedLog(this.#logFile).flatMap(({ prompt }) => prompt ?? []);
  }

  uncheckedGate(): Promise<(text: string) => Promise<boolean>> {
    return this.#terminal.uncheckedGate();
  }

  /** From the shell, as a person starts it; resolves with its process id. */
  async startAgent(): Promise<number> {
    return this.#start(this.#logFile);
  }

  async endAgent(pid: number): Promise<void> {
    process.kill(pid, "SIGTERM");
    await this.#isInFront(this.#scene.shell);
  }

  async #start(logFile: string): Promise<number> {
    const before = readScriptedLog(logFile).length;
    await this.enter(`clear; ${scriptedCommand(this.name, logFile).join(" ")}`);
    await until(() => readScriptedLog(logFile).length > before, `${this.name} to start`, PATIENCE_MS);
    const started = readScriptedLog(logFile).at(-1)?.started;
    if (started === undefined) throw new Error(`${this.name} did not say its process id`);
    return started;
  }

  /** The shell has its terminal; then what the person starts there, up to its prompt. Resolves with how to end that. */
  async putInFront(): Promise<() => Promise<void>> {
    const { shell, front } = this.#scene;
    await this.#isInFront(shell);
    const back = () => this.#isInFront(shell);
    switch (front) {
      case "the shell itself":
        await this.enter("clear");
        await this.#showsPrompt();
        return back;
      case "a node REPL":
        await this.enter("clear; node");
        await this.#isInFront("node");
        await this.#showsPrompt();
        return async () => {
          await this.enter(`${ERASE_LINE}.exit`);
          await back();
        };
      case "a here-document":
        if (shell === "fish") return this.#putReaderInFront();
        await this.enter(`clear; cat > ${this.#read} <<X`);
        await this.#showsPrompt();
        return async () => {
          await this.enter(`${ERASE_LINE}X`);
          await back();
        };
      case "a second copy": {
        const pid = await this.#start(this.#copyLog);
        await this.#showsPrompt();
        return async () => {
          process.kill(pid, "SIGTERM");
          await back();
        };
      }
    }
  }

  /** fish has no here-document: a reader with the same prompt. */
  async #putReaderInFront(): Promise<() => Promise<void>> {
    await this.enter(`clear; sh -c 'printf "> "; exec cat > ${this.#read}'`);
    // The prompt may still be fish's own: a key that ends the reader must not come before it.
    await this.#isInFront("cat");
    await this.#showsPrompt();
    return async () => {
      await this.press(`${ERASE_LINE}${END_OF_FILE}`);
      await this.#isInFront("fish");
    };
  }

  /** What reached the program in front, as far as can be known: from what it shows, was given, or has written. */
  async takenInFront(): Promise<string> {
    const written = existsSync(this.#read) ? readFileSync(this.#read, "utf8") : "";
    const submitted = readScriptedLog(this.#copyLog).flatMap(({ prompt }) => prompt ?? []);
    return [await this.#terminal.screen(), written, ...submitted].join("\n");
  }

  /** As a person would: on an empty line, and once more if the shell did not take it. */
  async bringBack(): Promise<void> {
    for (let tries = 1; tries < MOST_TRIES; tries += 1) {
      await this.enter(`${ERASE_LINE}fg`);
      const came = await this.#isInFront("node", ONE_TRY_MS).then(
        () => true,
        () => false,
      );
      if (came) return;
    }
    await this.enter(`${ERASE_LINE}fg`);
    await this.#isInFront("node");
  }

  async #isInFront(name: string, withinMs = PATIENCE_MS): Promise<void> {
    const isThere = async () => (await this.#terminal.inFront()) === name;
    await until(isThere, `${name} in front of ${this.name}`, withinMs);
  }

  async #showsPrompt(): Promise<void> {
    const isShown = async () => /^> *$/mu.test(await this.#terminal.screen());
    await until(isShown, `a prompt in ${this.name}`, PATIENCE_MS);
  }
}
