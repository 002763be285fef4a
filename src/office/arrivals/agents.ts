/** Agents and sessions as records: added, declared, removed. Called by the use-cases and when the config changes. */
import { agentAddress, isAgentName } from "../../core/address.ts";
import { type HostName, withHost } from "../../core/cluster/hosts.ts";
import type { Luggage } from "../../core/cluster/moving.ts";
import { BellhopError } from "../../core/errors.ts";
import type { AgentName } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { parsePattern } from "../../core/routing/pattern.ts";
import { MAIN } from "../../core/session.ts";
import type { StoredSession, StoreWriter, Timer } from "../../ports/store.ts";
import type { StateWatch } from "../base/state-watch.ts";
import {
  type Hearing,
  heldBy,
  requireAgent,
  requireRoom,
  type Subscriptions,
} from "../broker/subscriptions.ts";
import { type NewcomerParts, refuseNewcomer } from "./newcomers.ts";

/** Sessions created by name, for one agent: each stays in memory, and nothing ends them. */
export const MOST_NAMED_SESSIONS = 1_000;

/** An agent as `config.yaml` declares it. */
export interface DeclaredAgent {
  readonly name: AgentName;
  readonly subscriptions: readonly string[];
  readonly sessions: readonly { readonly name: string; readonly subscriptions: readonly string[] }[];
}

export interface AgentsParts extends NewcomerParts {
  readonly subscriptions: Subscriptions;
  readonly states: StateWatch;
}

export class Agents {
  readonly #parts: AgentsParts;

  constructor(parts: AgentsParts) {
    this.#parts = parts;
  }

  async add(name: string): Promise<void> {
    requireName(name);
    const { context } = this.#parts;
    await context.store.write((tx) => {
      if (tx.agent(name) !== undefined) {
        throw new BellhopError("agent.exists", {
          message: `There is an agent "${name}" already.`,
          next: `See it with "bellhop agent show ${name}".`,
        });
      }
      this.#put(tx, name, "added");
    });
  }

  /** Returns an existing session: created by name before, or with a running program. */
  async ensureSession(agent: AgentName, name: string, title?: string): Promise<StoredSession> {
    requireName(name);
    return this.#parts.context.store.write((tx) => {
      const session = this.#session(tx, agent, name);
      // A session with a program has the title of its terminal.
      if (title === undefined || session.name === undefined) return session;
      const titled = { ...session, title };
      tx.putSession(titled);
      return titled;
    });
  }

  /**
   * An agent of another host comes, inside another's transaction; there must be none of its name. The reminders that wait
   * here for it there are for it here: it may have been here before. `movedIn` follows.
   */
  moveIn(tx: StoreWriter, from: HostName, name: AgentName, luggage: Luggage): void {
    refuseNewcomer(this.#parts, tx, name, luggage);
    const { subscriptions, sessions } = luggage;
    this.#put(tx, name, "added", from);
    tx.moveReminders(withHost(agentAddress(name), from), agentAddress(name));
    this.#parts.subscriptions.bring(tx, name, this.#hearing(tx, { name, subscriptions, sessions }));
  }

  movedIn(): void {
    this.#parts.subscriptions.brought();
  }

  /** Applies the config file. An agent no longer declared keeps its mailbox but loses its declared subscriptions. */
  async declare(declared: readonly DeclaredAgent[]): Promise<void> {
    const { subscriptions } = this.#parts;
    for (const { name, subscriptions: own, sessions } of declared) {
      for (const one of [name, ...sessions.map((session) => session.name)]) requireName(one);
      for (const text of [...own, ...sessions.flatMap((session) => session.subscriptions)])
        parsePattern(text);
    }
    const named = new Set(declared.map(({ name }) => name));
    await subscriptions.rewriting((tx) => {
      for (const agent of tx.agents())
        if (agent.origin === "declared" && !named.has(agent.name)) tx.putAgent({ ...agent, origin: "added" });
      this.#giveEachItsMain(tx);
      for (const { name } of declared) {
        const standing = tx.agent(name);
        if (standing === undefined) this.#put(tx, name, "declared");
        else if (standing.origin !== "declared")
          tx.putAgent({ ...standing, origin: "declared", chosen: true });
      }
      subscriptions.declare(
        tx,
        declared.flatMap((one) => this.#hearing(tx, one)),
      );
      for (const { name } of declared) requireRoom(name, heldBy(tx, name).length);
    });
  }

  #hearing(tx: StoreWriter, { name, subscriptions, sessions }: DeclaredAgent): readonly Hearing[] {
    return [
      { owner: { kind: "agent", agent: name }, patterns: subscriptions },
      ...sessions.map((session) => ({
        owner: { kind: "session" as const, sessionId: this.#session(tx, name, session.name).id },
        patterns: session.subscriptions,
      })),
    ];
  }

  /** Refused while it runs, or while mail or reminders wait unless told to cancel them. Returns how many were. */
  async remove(
    name: AgentName,
    what: "only-if-empty" | "with-what-waits",
  ): Promise<{ readonly cancelled: number; readonly reminders: number }> {
    const { context, directory, states, subscriptions } = this.#parts;
    this.refuseBusy(name);
    const { cancelled, reminders } = await subscriptions.rewriting((tx) => {
      const waiting = tx.deliveries({ mailboxes: directory.aliases(agentAddress(name)), states: ["queued"] });
      const coming = remindersFor(tx, name);
      // The agent and one of its sessions may both have a copy of a message; then nobody has to take the agent's.
      const expected = waiting.filter(({ delivery }) => delivery.handledBy === undefined);
      const messages = [...new Set(expected.map(({ message }) => message.id))];
      if (what === "only-if-empty" && messages.length + coming.length > 0)
        throw stillExpected(name, messages.length, coming.length);
      for (const { delivery } of waiting) {
        const at = context.clock.now();
        const note = "its agent was removed";
        tx.moveDelivery(delivery.id, { at, state: "cancelled", note }, { hold: null });
      }
      for (const { id } of coming) tx.removeTimer(id);
      tx.removeAgent(name);
      return { cancelled: messages, reminders: coming.length };
    });
    states.changed(cancelled);
    return { cancelled: cancelled.length, reminders };
  }

  refuseBusy(name: AgentName): void {
    if (this.#parts.directory.takerOf(name) !== undefined) {
      throw new BellhopError("agent.busy", {
        message: `"${name}" is running.`,
        next: "End its program first.",
      });
    }
    if (this.#parts.isInTurn(name)) {
      throw new BellhopError("agent.busy", {
        message: `A turn of "${name}" runs.`,
        next: `Wait for its end, or stop it: bellhop turns stop.`,
      });
    }
  }

  #put(tx: StoreWriter, name: AgentName, origin: "added" | "declared", cameFrom?: HostName): void {
    const createdAt = this.#parts.context.clock.now();
    tx.putAgent({ name, createdAt, origin, chosen: true, paused: false, ...present({ cameFrom }) });
    this.#session(tx, name, MAIN);
  }

  /** For agents from before an agent without a program had a main session. */
  #giveEachItsMain(tx: StoreWriter): void {
    const having = new Set(
      tx.sessions({ exitedSince: 0 }).flatMap(({ main, agent }) => (main ? [agent] : [])),
    );
    for (const { name } of tx.agents()) if (!having.has(name)) this.#session(tx, name, MAIN);
  }

  #session(tx: StoreWriter, agent: AgentName, name: string): StoredSession {
    const { context, directory } = this.#parts;
    const standing = directory.sessionOf(agent, name, tx);
    if (standing !== undefined) return standing;
    requireRoomFor(tx, agent);
    const now = context.clock.now();
    const session: StoredSession = {
      id: context.ids.session(),
      agent,
      name,
      main: name === MAIN,
      program: "",
      label: "",
      title: "",
      hooked: false,
      startedAt: now,
      lastActiveAt: now,
      // No program runs in it yet; one may be started for it later.
      exitedAt: now,
    };
    tx.putSession(session);
    return session;
  }
}

/** The reminders that would reach this agent: one for a session goes to the agent that has the session now. */
function remindersFor(tx: StoreWriter, name: AgentName): readonly Timer[] {
  return tx.timers({}).filter(({ work }) => {
    if (work.kind !== "reminder") return false;
    const agent = work.sessionId === undefined ? undefined : tx.session(work.sessionId)?.agent;
    return agent === undefined ? work.to === agentAddress(name) : agent === name;
  });
}

function stillExpected(name: AgentName, messages: number, reminders: number): BellhopError {
  const what = [
    ...(messages === 0 ? [] : [`${messages} message(s)`]),
    ...(reminders === 0 ? [] : [`${reminders} reminder(s)`]),
  ];
  return new BellhopError("agent.busy", {
    message: `${what.join(" and ")} wait for "${name}".`,
    next: "Cancel them, or remove it with --force to cancel them all.",
  });
}

function requireRoomFor(tx: StoreWriter, agent: AgentName): void {
  requireAgent(tx, agent);
  const made = tx.sessionsOf(agent).filter((one) => one.name !== undefined && one.name !== MAIN);
  if (made.length < MOST_NAMED_SESSIONS) return;
  throw new BellhopError("session.too_many", {
    message: `"${agent}" has ${MOST_NAMED_SESSIONS} sessions that were made by name already.`,
    next: "Use one of them, or another agent.",
  });
}

export function requireName(name: string): void {
  if (isAgentName(name)) return;
  throw new BellhopError("name.invalid", {
    message: `"${name}" cannot be a name.`,
    next: "Use lower-case letters, digits, dot, underscore and hyphen; start with a letter or digit; at most 64 characters.",
  });
}
