/**
 * Which agent a session belongs to: named when its program is first seen, handed on with its conversation, or chosen by
 * a person. The registrar and `name` call it; the program's identity is decided before.
 */
import { agentAddress, uniqueAgentName } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import type { AgentName } from "../../core/message.ts";
import type { RightsChoice } from "../../core/rights/rights.ts";
import type { StoredSession, StoreReader } from "../../ports/store.ts";
import type { RequestOf, ResponseOf } from "../../wire/verbs/index.ts";
import type { Listeners } from "../broker/listeners.ts";
import type { Subscriptions } from "../broker/subscriptions.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { startingWith } from "../presence/recipients.ts";
import { requireName } from "./agents.ts";

/** An agent has this name, the config grants it rights, or it could mean a session: no agent may take it by itself. */
export function standsForSomebody(name: AgentName, read: StoreReader, rights: RightsChoice): boolean {
  if (read.agent(name) !== undefined || rights.byAgent.has(name)) return true;
  return startingWith(name, read).length > 0;
}

export interface AgentNamesParts extends Ground {
  /** For renaming or removing an agent with its subscriptions. */
  readonly subscriptions: Pick<Subscriptions, "rewriting">;
  readonly listeners: Pick<Listeners, "renaming" | "renamed" | "notRenamed">;
  /** One of its turns without a terminal runs. */
  isInTurn(agent: AgentName): boolean;
}

export class AgentNames {
  readonly #parts: AgentNamesParts;

  constructor(parts: AgentNamesParts) {
    this.#parts = parts;
  }

  /** A program that a person starts may get a name with configured rights, unless an agent already has it. */
  async make(wanted: AgentName, startedBy: "person" | "agent"): Promise<AgentName> {
    const { store, clock, settings } = this.#parts.context;
    return store.write((tx) => {
      const name = uniqueAgentName(wanted, (taken) =>
        startedBy === "person"
          ? tx.agent(taken) !== undefined
          : standsForSomebody(taken, tx, settings().rights),
      );
      tx.putAgent({ name, createdAt: clock.now(), origin: "discovered", chosen: false, paused: false });
      return name;
    });
  }

  /**
   * A resumed conversation keeps its agent: the name made up when the process was first seen is dropped, and its
   * reminders and listeners move to the resumed agent.
   */
  async handOn(before: StoredSession, session: LiveSession, name: "made-up" | "its-own"): Promise<void> {
    const { context, subscriptions, listeners } = this.#parts;
    const made = session.record.agent;
    const mailboxes = [agentAddress(made), agentAddress(before.agent)] as const;
    session.record = { ...session.record, agent: before.agent, main: before.main };
    const outcome = await subscriptions.rewriting((tx) => {
      tx.putSession(session.record);
      const agent = tx.agent(made);
      const unused = agent?.origin === "discovered" && !agent.chosen && tx.countQueued([mailboxes[0]]) === 0;
      // An agent that has other sessions was not just made up for this one.
      const isMadeUp = name === "made-up" && tx.sessionsOf(made).length === 0;
      if (!unused || !isMadeUp || made === before.agent) return "kept";
      tx.moveReminders(...mailboxes);
      tx.removeAgent(made);
      return "removed";
    });
    if (outcome === "removed") listeners.renamed(...mailboxes);
    context.log.info("session.adopted", { session: session.record.id, agent: before.agent, insteadOf: made });
  }

  /** `bellhop name`: refused while another running agent has the name. */
  async rename({ who, name, claims }: RequestOf<"name">): Promise<ResponseOf<"name">> {
    requireName(name);
    const { directory } = this.#parts;
    const meant = who === "" ? directory.ownSession(claims)?.id : who;
    if (meant === undefined) {
      throw new BellhopError("usage.invalid", {
        message: "This terminal has no session of its own.",
        next: `Say whom you mean: bellhop name WHO ${name}.`,
      });
    }
    const session = directory.resolveLive(meant);
    if (session.record.agent !== name && directory.takerOf(name) !== undefined) {
      throw new BellhopError("agent.exists", {
        message: `Another running agent is called "${name}".`,
        next: "Choose another name, or rename that one first.",
      });
    }
    // Its answer would come from a name that nobody has any more.
    const turning = [session.record.agent, name].find((one) => this.#parts.isInTurn(one));
    if (session.record.agent !== name && turning !== undefined) {
      throw new BellhopError("agent.busy", {
        message: `A turn of "${turning}" runs.`,
        next: "Wait for its end, or stop it: bellhop turns stop.",
      });
    }
    await this.#choose(session, name);
    return { agent: name, sessionId: session.record.id };
  }

  /** Takes over an existing agent that has no program; otherwise renames the session's agent. */
  async #choose(session: LiveSession, name: AgentName): Promise<void> {
    const { context, subscriptions, listeners } = this.#parts;
    const old = session.record.agent;
    const mailboxes = [agentAddress(old), agentAddress(name)] as const;
    try {
      const outcome = await subscriptions.rewriting((tx) => {
        const existing = tx.agent(name);
        if (existing === undefined) {
          tx.renameAgent(old, name);
          listeners.renaming(...mailboxes);
        }
        const agent = tx.agent(name);
        if (agent !== undefined) tx.putAgent({ ...agent, chosen: true });
        tx.putSession({ ...session.record, agent: name });
        return existing === undefined ? "renamed" : "taken-over";
      });
      if (outcome === "renamed") listeners.renamed(...mailboxes);
    } catch (error) {
      listeners.notRenamed(agentAddress(name));
      throw error;
    }
    for (const live of this.#parts.directory.all()) {
      if (live === session || (live.record.agent === old && context.store.read.agent(old) === undefined)) {
        live.record = { ...live.record, agent: name };
      }
    }
    context.log.info("session.named", { session: session.record.id, from: old, to: name });
  }
}
