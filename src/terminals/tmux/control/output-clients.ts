import type { AttachTurn } from "./attach-turn.ts";
import { ControlConnection, type ControlSetting } from "./control.ts";
import { withNoticesHeld } from "./held-notices.ts";

interface OutputClientsOptions extends ControlSetting {
  readonly turn: AttachTurn;
  onOutput(pane: string): void;
  onNotice(name: string, rest: string): void;
}

const OUTPUT_CLIENT_LIMITS = {
  attachMs: 5_000,
  /** Each attach counts as use of the session, which delays deliveries, so attempts are limited. */
  attempts: 3,
  /** A listener that lived this long may be replaced as often as needed. */
  steadyMs: 30_000,
} as const;

const WAIT = { quietMs: 700, patienceMs: 10_000 } as const;

/**
 * tmux reports output only to clients of the session in which it happens, so there is one listening client per session
 * with an agent. It writes nothing, and must never ask tmux to pause: a paused reader stops the program itself.
 */
export class OutputClients {
  readonly #options: OutputClientsOptions;
  readonly #bySession = new Map<string, ControlConnection>();
  readonly #attempts = new Map<string, number>();
  #wanted: readonly string[] = [];
  #busy = false;
  #working: Promise<void> = Promise.resolve();

  constructor(options: OutputClientsOptions) {
    this.#options = options;
  }

  /** Listens to exactly these sessions, attaching in this order. */
  listenTo(sessions: readonly string[]): void {
    this.#wanted = sessions;
    for (const session of this.#attempts.keys()) {
      if (!this.#wanted.includes(session)) this.#attempts.delete(session);
    }
    if (this.#busy) return;
    this.#busy = true;
    // This can only fail when a process cannot be started; the next scan tries again.
    this.#working = this.#work().catch(() => {
      this.#busy = false;
    });
  }

  /** Forgets everything: session ids of another server mean other sessions. */
  reset(): void {
    this.#attempts.clear();
    this.listenTo([]);
  }

  async close(): Promise<void> {
    this.#wanted = [];
    await this.#working;
    await Promise.all([...this.#bySession.values()].map((connection) => connection.close()));
  }

  /** Attaches that find no quiet moment are retried at the next call of `listenTo`. */
  async #work(): Promise<void> {
    const { turn } = this.#options;
    // Calls may follow each other at once: only the last list counts.
    await Promise.resolve();
    let wanted: readonly string[];
    do {
      wanted = this.#wanted;
      for (const [session, connection] of [...this.#bySession]) {
        if (!wanted.includes(session)) await turn.take(WAIT, () => this.#drop(session, connection));
      }
      for (const session of wanted) {
        if (wanted === this.#wanted) await turn.take(WAIT, () => this.#attach(session));
      }
    } while (wanted !== this.#wanted);
    this.#busy = false;
  }

  async #attach(session: string): Promise<void> {
    const attempts = this.#attempts.get(session) ?? 0;
    const tired = attempts >= OUTPUT_CLIENT_LIMITS.attempts;
    if (tired || this.#bySession.has(session) || !this.#wanted.includes(session)) return;
    this.#attempts.set(session, attempts + 1);
    await withNoticesHeld(this.#options, session, () => this.#open(session));
  }

  async #open(session: string): Promise<void> {
    const { clock, onOutput, onNotice } = this.#options;
    const startedAt = clock.monotonic();
    const connection = new ControlConnection({
      ...this.#options,
      session,
      flags: ["ignore-size", "read-only"],
      attachDeadlineMs: OUTPUT_CLIENT_LIMITS.attachMs,
      onEvent: (event) => {
        if (event.kind === "output") onOutput(event.pane);
        // With `detach-on-destroy off`, tmux moves us to another session when ours ends.
        else if (event.name === "session-changed" && event.rest.split(" ")[0] !== session) {
          void this.#drop(session, connection);
        } else onNotice(event.name, event.rest);
      },
    });
    this.#bySession.set(session, connection);
    void connection.ended.then(() => {
      if (clock.monotonic() - startedAt >= OUTPUT_CLIENT_LIMITS.steadyMs) this.#attempts.delete(session);
      if (this.#bySession.get(session) === connection) this.#bySession.delete(session);
    });
    await connection.attached;
  }

  async #drop(session: string, connection: ControlConnection): Promise<void> {
    if (this.#bySession.get(session) === connection) this.#bySession.delete(session);
    await connection.close();
  }
}
