import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../src/system/clock.ts";
import { HostLink } from "../../src/terminals/pty/host-link.ts";
import { recordPath } from "../../src/terminals/pty/records.ts";
import type { HostRecord } from "../../src/wire/host/host.ts";
import type { RunResponse } from "../../src/wire/shapes/sessions.ts";
import type { AgentTerminal, Occupation, Place } from "./agent-terminal.ts";
import type { Bellhop } from "./bellhop.ts";
import { HostViewer } from "./host-viewer.ts";
import { hostRecords } from "./hosts.ts";
import { until } from "./scripted-agent.ts";
import type { TmuxServer } from "./tmux-server.ts";
import { handsOn, type Typist } from "./typist.ts";

const SIZE = { cols: 120, rows: 40 } as const;
const SCREEN_DEADLINE_MS = 180_000;
const MS_BETWEEN_LOOKS = 40;
const GATE_OPENS_AFTER_MS = 2_000;
const STOP_GRACE_MS = 2_000;

/** As if `bellhop run` were typed inside another agent's session, in tmux: none of these may reach the program. */
export const PARENTS_VARIABLES = {
  CLAUDECODE: "1",
  CLAUDE_CODE_SESSION_ID: "11111111-2222-4333-8444-555555555555",
  CLAUDE_CODE_ENTRYPOINT: "cli",
  CODEX_THREAD_ID: "01999999-aaaa-7bbb-8ccc-dddddddddddd",
  TMUX: "/nowhere/tmux,1,0",
  TMUX_PANE: "%77",
  BELLHOP_AGENT: "somebody-else",
} as const;

/** With these emptied, no variable names a session: the owner, in a shell that an agent was started from. */
export const NO_SESSION = { CODEX_THREAD_ID: "", CLAUDE_CODE_SESSION_ID: "" } as const;

/** Programs in hosted terminals, started with the command line. */
export class HostedPlace implements Place {
  readonly kind = "hosted";
  readonly #bellhop: Bellhop;
  readonly #tmux: TmuxServer;
  readonly #terminals = new Map<string, HostedTerminal>();

  /** The tmux server runs none of them; by its mark a test finds processes that outlive it. */
  constructor(bellhop: Bellhop, tmux: TmuxServer) {
    this.#bellhop = bellhop;
    this.#tmux = tmux;
  }

  async open({ command, cwd, env = {} }: Parameters<Place["open"]>[0]): Promise<HostedTerminal> {
    const words = ["run", "--detach", "--json", "--cwd", cwd, "--", ...command];
    const { sessionId } = await this.typed<RunResponse>(words, env);
    return this.#remember(sessionId, env);
  }

  /** The owner starts it again, as is their right: in the same session, with the same environment. */
  async again(how: "restart" | "resume", { pane, environment }: HostedTerminal): Promise<RunResponse> {
    return this.typed<RunResponse>([how, pane, "--json"], { ...environment, ...NO_SESSION });
  }

  /** A `bellhop` command, run with `env` inside another agent's session. */
  async typed<T>(words: readonly string[], env: Readonly<Record<string, string>>): Promise<T> {
    const only = {
      ...this.#tmux.environment,
      ...PARENTS_VARIABLES,
      BELLHOP_HOME: this.#bellhop.home,
      ...env,
    };
    const { code, stdout, stderr } = await this.#bellhop.run(words, { only });
    if (code !== 0) throw new Error(`bellhop ${words.join(" ")} → ${code}\n${stderr}${stdout}`);
    return JSON.parse(stdout) as T;
  }

  /** The terminal of a session that somebody has started. */
  opened(sessionId: string): HostedTerminal {
    return this.#terminals.get(sessionId) ?? this.#remember(sessionId, {});
  }

  #remember(sessionId: string, environment: Readonly<Record<string, string>>): HostedTerminal {
    const file = recordPath(join(this.#bellhop.home, "hosts"), sessionId);
    const terminal = new HostedTerminal(sessionId, file, environment);
    this.#terminals.set(sessionId, terminal);
    return terminal;
  }

  /** Hosted programs outlive every daemon: each is asked to end, and its host must end with it. */
  async close(): Promise<void> {
    for (const terminal of this.#terminals.values()) terminal.close();
    await Promise.all(hostRecords(this.#bellhop.home).map(endHost));
  }
}

export class HostedTerminal implements AgentTerminal {
  readonly pane: string;
  /** Of the process that started it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #file: string;
  #link: HostLink | undefined;
  #pressedAtMs = Number.NEGATIVE_INFINITY;

  constructor(pane: string, file: string, environment: Readonly<Record<string, string>>) {
    this.pane = pane;
    this.#file = file;
    this.environment = environment;
  }

  /** The host that runs now; after a restart it is another one. */
  get record(): HostRecord {
    return JSON.parse(readFileSync(this.#file, "utf8")) as HostRecord;
  }

  async screen(): Promise<string> {
    const { record } = this;
    if (record.exit !== undefined) return record.lastScreen ?? "";
    if (this.#link?.record.token !== record.token) {
      this.#link?.close();
      this.#link = new HostLink(record, systemClock);
    }
    const answer = await this.#link.ask({ type: "read" });
    if (answer === "unreachable" || answer === "lost") return this.record.lastScreen ?? "";
    if (answer.type !== "screen") throw new Error(`its host answered ${answer.type}`);
    return `${answer.screen.lines.map(({ text }) => text).join("\n")}\n`;
  }

  async waitForScreen(
    matches: (screen: string) => boolean,
    { timeoutMs = SCREEN_DEADLINE_MS }: { readonly timeoutMs?: number } = {},
  ): Promise<string> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const screen = await this.screen();
      if (matches(screen)) return screen;
      if (Date.now() > deadline)
        throw new Error(`No such screen within ${timeoutMs} ms. It shows:\n${screen}`);
      await sleep(MS_BETWEEN_LOOKS);
    }
  }

  /** Takes the keyboard while they type, and gives it back: what `bellhop attach` sends on C-\ p. */
  async typist(): Promise<Typist> {
    const { socket, token } = this.record;
    const viewer = await HostViewer.attach(socket, token, SIZE);
    const key = (bytes: string) => {
      this.#pressedAtMs = performance.now();
      viewer.press(bytes);
    };
    const withKeyboard = async (act: () => Promise<void> | void) => {
      viewer.say({ type: "passthrough", on: true });
      await act();
      viewer.say({ type: "passthrough", on: false });
    };
    const typing = handsOn(key);
    return {
      type: (text, pace) => withKeyboard(() => typing.type(text, pace)),
      typeAt: (startMs, text, pace) => withKeyboard(() => typing.typeAt(startMs, text, pace)),
      press: (bytes) => void withKeyboard(() => key(bytes)),
      close: async () => viewer.close(),
    };
  }

  async program(): Promise<number | "ended"> {
    const { programPid, exit } = this.record;
    return exit === undefined ? programPid : "ended";
  }

  async untilQuiet(): Promise<void> {
    const waitMs = this.#pressedAtMs + GATE_OPENS_AFTER_MS - performance.now();
    if (waitMs > 0) await sleep(waitMs);
  }

  async occupy(): Promise<Occupation> {
    const { socket, token } = this.record;
    const viewer = await HostViewer.attach(socket, token, SIZE);
    const keyboardIs = (whose: "theirs" | "free") => () => {
      const told = viewer.told.findLast((heard) => heard.type === "state");
      return told?.state.passthrough === (whose === "theirs" ? told?.viewer : null);
    };
    viewer.say({ type: "passthrough", on: true });
    await until(keyboardIs("theirs"), "the keyboard");
    return {
      hold: "attached",
      end: async () => {
        viewer.say({ type: "passthrough", on: false });
        await until(keyboardIs("free"), "the keyboard to be given back");
        viewer.close();
      },
    };
  }

  close(): void {
    this.#link?.close();
  }
}

async function endHost(record: HostRecord): Promise<void> {
  const link = new HostLink(record, systemClock);
  await link.ask({ type: "stop", graceMs: STOP_GRACE_MS });
  link.close();
  await until(() => !existsSync(`/proc/${record.hostPid}`), `the host of ${record.agent} to end`);
}
