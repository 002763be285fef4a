/**
 * One who reads the board: remembers what changed since they last took a frame, never the frames themselves. However
 * slow they are, they get the newest state, and the memory they need is limited.
 *
 *   anew ─▶ (a snapshot is taken) following ─▶ (too much has changed since) anew
 */
import type { BoardTopic } from "../../core/board.ts";
import type { AgentName } from "../../core/message.ts";
import type { Board, BoardAgent, BoardFrame } from "../../wire/shapes/board.ts";

/** Agents that changed since the last frame; with more of them, a snapshot says it as well. */
export const MOST_PENDING = 5_000;

/** What the board shows now. */
export interface Shown {
  readonly isFilled: boolean;
  agent(name: AgentName): BoardAgent | undefined;
  all(): readonly BoardAgent[];
  readonly topics: Omit<Board, "agents">;
}

export class BoardReader {
  readonly #shown: Shown;
  readonly #wanted: ReadonlySet<BoardTopic>;
  readonly #ready: () => void;
  readonly #agents = new Set<AgentName>();
  readonly #topics = new Set<BoardTopic>();
  #state: "anew" | "following" = "anew";
  #seq = 0;

  /** `ready` is called whenever there is something to take. */
  constructor(shown: Shown, wanted: readonly BoardTopic[], ready: () => void) {
    this.#shown = shown;
    this.#wanted = new Set(wanted);
    this.#ready = ready;
  }

  changed(agents: readonly AgentName[], topics: readonly BoardTopic[]): void {
    if (this.#state === "following") {
      if (this.#wanted.has("agents")) for (const name of agents) this.#agents.add(name);
      for (const topic of topics) if (this.#wanted.has(topic)) this.#topics.add(topic);
      if (this.#agents.size > MOST_PENDING) this.#state = "anew";
    }
    if (this.#hasNews) this.#ready();
  }

  take(): BoardFrame | undefined {
    if (!this.#hasNews) return undefined;
    this.#seq += 1;
    const frame = this.#state === "anew" ? this.#snapshot(this.#seq) : this.#changes(this.#seq);
    this.#state = "following";
    this.#agents.clear();
    this.#topics.clear();
    return frame;
  }

  get #hasNews(): boolean {
    if (this.#state === "anew") return this.#shown.isFilled;
    return this.#agents.size > 0 || this.#topics.size > 0;
  }

  #snapshot(seq: number): BoardFrame {
    const agents = this.#wanted.has("agents") ? { agents: this.#shown.all() } : {};
    return { snapshot: { seq, ...agents, ...this.#only(this.#wanted) } };
  }

  #changes(seq: number): BoardFrame {
    const names = [...this.#agents];
    const agents = names.flatMap((name) => this.#shown.agent(name) ?? []);
    const gone = names.filter((name) => this.#shown.agent(name) === undefined);
    return {
      changes: {
        seq,
        ...(agents.length === 0 ? {} : { agents }),
        ...(gone.length === 0 ? {} : { gone }),
        ...this.#only(this.#topics),
      },
    };
  }

  #only(topics: ReadonlySet<BoardTopic>): Omit<Board, "agents"> {
    return Object.fromEntries(
      Object.entries(this.#shown.topics).filter(([topic]) => topics.has(topic as BoardTopic)),
    );
  }
}
