import type { Clock } from "../../ports/clock.ts";
import { ControlConnection } from "./control.ts";
import type { TmuxProgram } from "./tmux-program.ts";

export interface ListenersOptions {
  readonly program: TmuxProgram;
  readonly socket: string;
  readonly clock: Clock;
  nonce(): string;
  onOutput(pane: string): void;
  onNotice(name: string, rest: string): void;
}

export const LISTENER_LIMITS = {
  sessions: 64,
  attachMs: 5_000,
  /** Each attach counts as use of the session, which holds deliveries back: no endless attempts. */
  attempts: 3,
  /** A listener that lived this long may be replaced as often as needed. */
  steadyMs: 30_000,
} as const;

/**
 * tmux tells of output only to clients of the session it happens in: one listening client per session with an
 * agent. It writes nothing, and it must never ask tmux to pause: a paused reader stops the program itself.
 */
export class Listeners {
  readonly #options: ListenersOptions;
  readonly #bySession = new Map<string, ControlConnection>();
  readonly #attempts = new Map<string, number>();
  #closed = false;

  constructor(options: ListenersOptions) {
    this.#options = options;
  }

  /** Exactly these sessions, in this order of attaching; those beyond the maximum are left to polling. */
  listenTo(sessions: readonly string[]): void {
    if (this.#closed) return;
    const wanted = sessions.slice(0, LISTENER_LIMITS.sessions);
    for (const [session, connection] of this.#bySession) {
      if (!wanted.includes(session)) this.#drop(session, connection);
    }
    for (const session of this.#attempts.keys()) {
      if (!wanted.includes(session)) this.#attempts.delete(session);
    }
    for (const session of wanted) this.#attach(session);
  }

  /** Forgets everything: session ids of another server mean other sessions. */
  reset(): void {
    this.#attempts.clear();
    for (const [session, connection] of this.#bySession) this.#drop(session, connection);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const connections = [...this.#bySession.values()];
    this.#bySession.clear();
    await Promise.all(connections.map((connection) => connection.close()));
  }

  #attach(session: string): void {
    const attempts = this.#attempts.get(session) ?? 0;
    if (this.#bySession.has(session) || attempts >= LISTENER_LIMITS.attempts) return;
    this.#attempts.set(session, attempts + 1);
    const { clock } = this.#options;
    const startedAt = clock.monotonic();
    const connection = new ControlConnection({
      program: this.#options.program,
      socket: this.#options.socket,
      session,
      flags: ["ignore-size", "read-only"],
      nonce: this.#options.nonce(),
      clock,
      attachDeadlineMs: LISTENER_LIMITS.attachMs,
      onEvent: (event) => {
        if (event.kind === "output") this.#options.onOutput(event.pane);
        // With `detach-on-destroy off` tmux moves us on when our session ends.
        else if (event.name === "session-changed" && event.rest.split(" ")[0] !== session) {
          this.#drop(session, connection);
        } else this.#options.onNotice(event.name, event.rest);
      },
    });
    this.#bySession.set(session, connection);
    void connection.ended.then(() => {
      if (clock.monotonic() - startedAt >= LISTENER_LIMITS.steadyMs) this.#attempts.delete(session);
      if (this.#bySession.get(session) === connection) this.#bySession.delete(session);
    });
  }

  #drop(session: string, connection: ControlConnection): void {
    if (this.#bySession.get(session) === connection) this.#bySession.delete(session);
    void connection.close();
  }
}
