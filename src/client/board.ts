/** Puts the frames of the board together, so that whoever shows it has the whole of it after each. */
import type { AgentName } from "../core/message.ts";
import type { Board, BoardAgent, BoardFrame } from "../wire/shapes/board.ts";

export class BoardPicture {
  #seq = 0;
  #agents = new Map<AgentName, BoardAgent>();
  #topics: Board = {};

  /** `gap`: a frame was missed, so that only a new snapshot can tell what is true. */
  hear(frame: BoardFrame): Board | "gap" {
    if ("snapshot" in frame) {
      const { seq, agents = [], ...topics } = frame.snapshot;
      this.#seq = seq;
      this.#agents = new Map(agents.map((agent) => [agent.name, agent]));
      this.#topics = frame.snapshot.agents === undefined ? topics : { agents, ...topics };
      return this.#topics;
    }
    const { seq, agents = [], gone = [], ...topics } = frame.changes;
    if (seq !== this.#seq + 1) return "gap";
    this.#seq = seq;
    for (const agent of agents) this.#agents.set(agent.name, agent);
    for (const name of gone) this.#agents.delete(name);
    this.#topics = { ...this.#topics, ...topics };
    if (agents.length > 0 || gone.length > 0)
      this.#topics = { ...this.#topics, agents: [...this.#agents.values()].toSorted(byName) };
    return this.#topics;
  }
}

function byName(one: BoardAgent, other: BoardAgent): number {
  return one.name < other.name ? -1 : 1;
}
