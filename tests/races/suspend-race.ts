/** An agent that is suspended around the moment of a delivery, under whatever shell, with something else in front of it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readScriptedLog, scriptedCommand, until } from "../rig/scripted-agent.ts";
import type { TmuxServer } from "../rig/tmux-server.ts";

/** Each with a prompt that the agent's composer could be, and nothing of its user's. */
export const SHELLS = {
  bash: { command: ["bash", "--norc", "--noprofile", "-i"], first: "PS1='> ' PS2='> '" },
  zsh: { command: ["zsh", "-f", "-i"], first: "PS1='> ' PS2='> '; unsetopt nomatch" },
  fish: { command: ["fish", "--no-config", "-i"], first: "function fish_prompt; echo -n '> '; end" },
  dash: { command: ["dash", "-i"], first: "PS1='> ' PS2='> '" },
} as const;
export type Shell = keyof typeof SHELLS;

/** What a person has in front of the agent while that is suspended. */
export const FRONTS = ["the shell itself", "a node REPL", "a here-document", "a second copy"] as const;
export type Front = (typeof FRONTS)[number];

const PATIENCE_MS = 30_000;

export class SuspendDesk {
  readonly name: string;
  readonly logFile: string;
  readonly #tmux: TmuxServer;
  readonly #shell: Shell;
  readonly #front: Front;
  readonly #copyLog: string;
  readonly #read: string;
  pane = "";

  constructor(tmux: TmuxServer, shell: Shell, front: Front) {
    this.#tmux = tmux;
    this.#shell = shell;
    this.#front = front;
    this.name = `${shell}-${FRONTS.indexOf(front)}`;
    this.logFile = join(tmux.folder, `${this.name}.jsonl`);
    this.#copyLog = join(tmux.folder, `${this.name}-copy.jsonl`);
    this.#read = join(tmux.folder, `${this.name}-read`);
  }

  async open(): Promise<void> {
    const { command, first } = SHELLS[this.#shell];
    this.pane = await this.#tmux.newSession({
      name: this.name,
      command,
      cwd: this.#tmux.folder,
      env: { HISTFILE: "/dev/null", HOME: this.#tmux.folder },
      cols: 100,
      rows: 24,
    });
    await this.#isInFront(this.#shell);
    await this.enter(first);
    await this.#shows(/^> *$/mu);
  }

  async enter(line: string): Promise<void> {
    await this.#tmux.run("send-keys", "-t", this.pane, "-l", line);
    await this.#tmux.run("send-keys", "-t", this.pane, "Enter");
  }

  /** By key, or by a signal from elsewhere. After the latter dash would read a terminal in raw mode, as nobody can use it. */
  async stop(pid: number, by: "key" | "signal", atMs: number): Promise<void> {
    const wait = atMs - performance.now();
    if (wait > 0) await sleep(wait);
    if (by === "key" || this.#shell === "dash") await this.#tmux.run("send-keys", "-t", this.pane, "C-z");
    else process.kill(-pid, "SIGSTOP");
  }

  screen(): Promise<string> {
    return this.#tmux.capture(this.pane);
  }

  prompts(): readonly string[] {
    return readScriptedLog(this.logFile).flatMap(({ prompt }) => prompt ?? []);
  }

  /** From the shell, as a person starts it; resolves with its process id. */
  async startAgent(): Promise<number> {
    return this.#start(this.logFile);
  }

  async endAgent(pid: number): Promise<void> {
    process.kill(pid, "SIGTERM");
    await this.#isInFront(this.#shell);
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
    await this.#isInFront(this.#shell);
    const back = () => this.#isInFront(this.#shell);
    switch (this.#front) {
      case "the shell itself":
        await this.enter("clear");
        await this.#shows(/^> *$/mu);
        return back;
      case "a node REPL":
        await this.enter("clear; node");
        await this.#isInFront("node");
        await this.#shows(/^> *$/mu);
        return async () => {
          await this.#tmux.run("send-keys", "-t", this.pane, "C-u");
          await this.enter(".exit");
          await back();
        };
      case "a here-document":
        // fish has none: a reader with the same prompt.
        await this.enter(
          this.#shell === "fish"
            ? `clear; sh -c 'printf "> "; exec cat > ${this.#read}'`
            : `clear; cat > ${this.#read} <<X`,
        );
        await this.#shows(/^> *$/mu);
        return async () => {
          if (this.#shell === "fish") await this.#tmux.run("send-keys", "-t", this.pane, "C-u", "C-d");
          else {
            await this.#tmux.run("send-keys", "-t", this.pane, "C-u");
            await this.enter("X");
          }
          await back();
        };
      case "a second copy": {
        const pid = await this.#start(this.#copyLog);
        await this.#shows(/^> *$/mu);
        return async () => {
          process.kill(pid, "SIGTERM");
          await back();
        };
      }
    }
  }

  /** What reached whatever was in front, as far as it can be told: what it shows, was submitted to, or has written. */
  async takenInFront(): Promise<string> {
    const written = existsSync(this.#read) ? readFileSync(this.#read, "utf8") : "";
    const submitted = readScriptedLog(this.#copyLog).flatMap(({ prompt }) => prompt ?? []);
    return [await this.screen(), written, ...submitted].join("\n");
  }

  async bringBack(): Promise<void> {
    await this.enter("fg");
    await this.#isInFront("node");
  }

  async #isInFront(name: string): Promise<void> {
    const command = () => this.#tmux.ask(this.pane, "#{pane_current_command}");
    await until(async () => (await command()) === name, `${name} in front of ${this.name}`, PATIENCE_MS);
  }

  async #shows(prompt: RegExp): Promise<void> {
    await until(async () => prompt.test(await this.screen()), `a prompt in ${this.name}`, PATIENCE_MS);
  }
}
