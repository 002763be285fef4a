/** `bellhop attach`: connects the host, the person's terminal and the daemon. */
import type { ReadStream } from "node:tty";
import { connect } from "../client/connect.ts";
import { followSession } from "../client/follow.ts";
import { asBellhopError, assertNever, BellhopError, type ErrorDetail } from "../core/errors.ts";
import type { HostExit, ViewerHears } from "../wire/host/host.ts";
import { step } from "./attachment.ts";
import {
  type Action,
  type Attachment,
  type Event,
  firstAttachment,
  type Letter,
} from "./attachment-state.ts";
import {
  type Coming,
  dialHost,
  type HostConnection,
  type HostPlace,
  isUnheard,
  type Welcome,
} from "./connection.ts";
import { Display } from "./drawing/display.ts";
import { programSize } from "./drawing/picture.ts";
import { InputReader } from "./keys/input-reader.ts";
import { type OutputStream, PersonTerminal } from "./person-terminal.ts";
import { post } from "./sending.ts";
import { Timers } from "./timers.ts";

export interface AttachSetting {
  readonly session: HostPlace & { readonly sessionId: string; readonly agent: string };
  readonly daemonSocket: string;
  readonly user: string;
  readonly may: "type" | "watch";
  /** The byte of our prefix key, and its name for people. */
  readonly prefix: { readonly byte: number; readonly name: string };
  readonly input: ReadStream;
  readonly output: OutputStream;
  now(): number;
  pause(ms: number): Promise<void>;
  newKey(): string;
}

type Ending =
  | { readonly kind: "detached" }
  | { readonly kind: "ended"; readonly exit: HostExit; readonly lastScreen: readonly string[] }
  | { readonly kind: "signalled"; readonly signal: NodeJS.Signals }
  /** Refused, host gone, or a bug. Plain data: this bundle has its own error classes. */
  | { readonly kind: "failed"; readonly error: ErrorDetail };

export type AttachEnd = Ending & {
  /** Text written in the bar but never sent. */
  readonly unsent: readonly string[];
};

export const ATTACH_LIMITS = {
  /** Time to show the last output after the program's end. */
  lastWordsMs: 500,
  /** Consecutive attempts; a connection that lasted long enough resets the count. */
  redials: 3,
  redialMs: 200,
  steadyMs: 5_000,
  askingMs: 2_000,
} as const;

export async function attach(setting: AttachSetting): Promise<AttachEnd> {
  return new Attached(setting).run();
}

class Attached {
  readonly #setting: AttachSetting;
  readonly #terminal: PersonTerminal;
  readonly #timers = new Timers();
  readonly #input: InputReader;
  /** Set by the first welcome. */
  #state!: Attachment;
  #display!: Display;
  #connection!: HostConnection;
  #following: { close(): void } | undefined;
  #connectedAt = 0;
  #redials = 0;
  #isOver = false;
  #tellEnd: (end: AttachEnd) => void = () => {};

  constructor(setting: AttachSetting) {
    this.#setting = setting;
    this.#terminal = new PersonTerminal(setting.input, setting.output);
    this.#input = new InputReader(setting.prefix, {
      standing: () => this.#state,
      happened: (event) => this.#happened(event),
      after: (ms, done) => this.#timers.after("escape", ms, done),
    });
  }

  async run(): Promise<AttachEnd> {
    const ended = new Promise<AttachEnd>((resolve) => {
      this.#tellEnd = resolve;
    });
    try {
      await this.#dial();
    } catch (error) {
      return { kind: "failed", error: asBellhopError(error).toDetail(), unsent: [] };
    }
    return ended;
  }

  async #dial(): Promise<void> {
    const { session, may, now } = this.#setting;
    const coming: Coming = may === "watch" ? { may: "look" } : programSize(this.#terminal.size);
    await dialHost(session, coming, {
      welcomed: (connection) => {
        this.#connection = connection;
        this.#connectedAt = now();
        if (this.#display === undefined) this.#sitDown(connection.welcome);
        else this.#display.restart(connection.welcome);
      },
      drawn: (bytes) => this.#display.drawn(bytes),
      told: (message) => this.#told(message),
      over: (error) => void this.#lost(error),
    });
  }

  #sitDown(welcome: Welcome): void {
    const { daemonSocket, session, user, prefix, may, now, pause } = this.#setting;
    this.#state = firstAttachment(may, welcome.state);
    this.#display = new Display(welcome, {
      captions: { agent: session.agent, prefix: prefix.name },
      timers: this.#timers,
      standing: () => this.#state,
      window: () => this.#terminal.size,
      write: (text) => this.#terminal.write(text),
      now,
      flow: (wanted) => (wanted === "more" ? this.#connection.resume() : this.#connection.pause()),
    });
    this.#terminal.enter({
      typed: (bytes) => this.#input.push(bytes),
      resized: () => {
        if (may === "type") this.#connection.say({ type: "resize", ...programSize(this.#terminal.size) });
        this.#display.again("rows");
      },
      returned: () => this.#display.again("everything"),
      signalled: (signal) => this.#finish({ kind: "signalled", signal }),
      hungUp: () => this.#finish({ kind: "signalled", signal: "SIGHUP" }),
      failed: (error) => this.#finish({ kind: "failed", error: asBellhopError(error).toDetail() }),
    });
    this.#following = followSession(
      { socket: daemonSocket, claims: { user } },
      session.sessionId,
      {
        session: (shown) => this.#happened({ kind: "daemon", daemon: { at: "there", session: shown } }),
        away: () => this.#happened({ kind: "daemon", daemon: { at: "away" } }),
        refused: ({ message }) => this.#happened({ kind: "daemon", daemon: { at: "refusing", message } }),
      },
      pause,
    );
  }

  #told(message: ViewerHears): void {
    if (message.type === "resize") this.#display.resized(message);
    this.#happened({ kind: "told", told: message });
    if (this.#state.host.exit !== null)
      this.#timers.after("end", ATTACH_LIMITS.lastWordsMs, () => this.#ended());
  }

  /** The host may have disconnected us for being slow: then it is still there. */
  async #lost(why: BellhopError): Promise<void> {
    if (this.#state.host.exit !== null) return this.#ended();
    const { now, pause } = this.#setting;
    if (now() - this.#connectedAt > ATTACH_LIMITS.steadyMs) this.#redials = 0;
    let error: unknown = why;
    while (!this.#isOver && this.#redials < ATTACH_LIMITS.redials) {
      this.#redials += 1;
      try {
        await this.#dial();
        const text = "The connection broke and is back.";
        return this.#happened({ kind: "told", told: { type: "announce", text } });
      } catch (again) {
        error = again;
        if (again instanceof BellhopError && again.code === "terminal.gone") {
          const found = isUnheard(again) ? await this.#daemonFindsIt() : again;
          // If its process runs, the daemon knows what prevents a connection.
          if (found instanceof BellhopError && found.code === "terminal.unreadable") error = found;
          if (found !== "found") break;
        }
      }
      await pause(ATTACH_LIMITS.redialMs);
    }
    this.#finish({ kind: "failed", error: asBellhopError(error).toDetail() });
  }

  /** `found`, or why not. If only its socket file was removed, the daemon has it created again. */
  async #daemonFindsIt(): Promise<unknown> {
    const { daemonSocket, session } = this.#setting;
    try {
      const client = await connect(daemonSocket);
      try {
        await client.call("attach", { who: session.sessionId });
        return "found";
      } finally {
        client.close();
      }
    } catch (error) {
      return error;
    }
  }

  #ended(): void {
    const { exit } = this.#state.host;
    if (exit !== null) this.#finish({ kind: "ended", exit, lastScreen: this.#display.lastScreen() });
  }

  #happened(event: Event): void {
    if (this.#isOver) return;
    const { now, prefix, newKey } = this.#setting;
    const around = { now: now(), prefix: prefix.byte, prefixName: prefix.name, newKey };
    const before = this.#state;
    const [next, actions] = step(before, event, around);
    this.#state = next;
    for (const action of actions) this.#perform(action);
    if (next.note !== before.note) this.#await("note");
    if (next.hintUntil !== before.hintUntil) this.#await("hint");
    if (next.mode.at === "asking" && before.mode.at !== "asking")
      this.#timers.after("asking", ATTACH_LIMITS.askingMs, () => this.#happened({ kind: "unanswered" }));
    // Keys typed while waiting for the keyboard were held until this answer.
    if (before.mode.at === "asking" && next.mode.at !== "asking") this.#input.go();
    this.#display.soon();
  }

  #perform(action: Action): void {
    switch (action.kind) {
      case "keys":
        this.#connection.keys(action.bytes);
        break;
      case "say":
        this.#connection.say(action.message);
        break;
      case "scroll":
        this.#display.scroll(action.how);
        break;
      case "detach":
        this.#finish({ kind: "detached" });
        break;
      case "send":
        void this.#send(action.letter);
        break;
      default:
        assertNever(action);
    }
  }

  async #send(letter: Letter): Promise<void> {
    const { daemonSocket, session, user, now, pause } = this.#setting;
    try {
      this.#happened(await post(letter, { daemonSocket, sessionId: session.sessionId, user, now, pause }));
    } catch (error) {
      this.#happened({ kind: "unsent", words: `Not sent: ${asBellhopError(error).message}` });
    }
  }

  /** Re-armed if needed, because a timer may fire slightly early. */
  #await(what: "note" | "hint"): void {
    const until = what === "note" ? this.#state.note?.until : this.#state.hintUntil;
    if (until === undefined) return;
    this.#timers.after(what, Math.max(1, until - this.#setting.now()), () => {
      this.#happened({ kind: "late" });
      this.#await(what);
    });
  }

  #finish(ending: Ending): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#terminal.leave();
    this.#timers.end();
    this.#following?.close();
    this.#connection.close();
    this.#display.close();
    const { underWay, bar } = this.#state;
    const unsent = [underWay?.text ?? "", bar.text, bar.draft].filter((text) => text.trim() !== "");
    this.#tellEnd({ ...ending, unsent });
  }
}
