/** Agents and sessions as records: added, declared, removed. Called by the use-cases and when the config changes. */
import { isAgentName } from "../core/address.ts";
import { BellhopError } from "../core/errors.ts";
import type { AgentName } from "../core/message.ts";
import { parsePattern } from "../core/pattern.ts";
import type { StoredSession, StoreWriter } from "../ports/store.ts";
import type { OfficeContext } from "./context.ts";
import type { Directory } from "./directory.ts";
import type { StateWatch } from "./state-watch.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** As `config.yaml` declares it. */
export interface DeclaredAgent {
  readonly name: AgentName;
  readonly subscriptions: readonly string[];
  readonly sessions: readonly { readonly name: string; readonly subscriptions: readonly string[] }[];
}

export interface AgentsParts {
  readonly context: OfficeContext;
  readonly directory: Directory;
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

  /** One that is there is returned: it was made by name before, or its program runs. */
  async ensureSession(agent: AgentName, name: string): Promise<StoredSession> {
    requireName(name);
    return this.#parts.context.store.write((tx) => this.#session(tx, agent, name));
  }

  /** What the file says now. What it said before and no longer does keeps its mailbox, and loses what it heard. */
  async declare(declared: readonly DeclaredAgent[]): Promise<void> {
    const { context, subscriptions } = this.#parts;
    for (const { name, subscriptions: own, sessions } of declared) {
      requireName(name);
      for (const text of [...own, ...sessions.flatMap((session) => session.subscriptions)])
        parsePattern(text);
    }
    await context.store.write((tx) => {
      const named = new Map(declared.map((one) => [one.name, one]));
      for (const agent of tx.agents()) {
        if (agent.origin !== "declared" || named.has(agent.name)) continue;
        tx.putAgent({ ...agent, origin: "added" });
        subscriptions.declare(tx, { kind: "agent", agent: agent.name }, []);
        this.#undeclareSessions(tx, agent.name, new Set());
      }
      for (const { name, subscriptions: own, sessions } of declared) {
        if (tx.agent(name) === undefined) this.#put(tx, name, "declared");
        subscriptions.declare(tx, { kind: "agent", agent: name }, own);
        this.#undeclareSessions(tx, name, new Set(sessions.map((session) => session.name)));
        for (const session of sessions) {
          const { id } = this.#session(tx, name, session.name);
          subscriptions.declare(tx, { kind: "session", sessionId: id }, session.subscriptions);
        }
      }
    });
    subscriptions.reload();
  }

  /** How many messages were cancelled with it. */
  async remove(name: AgentName, mailboxes: readonly string[]): Promise<number> {
    const { context, states, subscriptions } = this.#parts;
    const cancelled = await context.store.write((tx) => {
      const waiting = tx.deliveries({ mailboxes, states: ["queued"] });
      for (const { delivery } of waiting) {
        tx.updateDelivery(delivery.id, { state: "cancelled", hold: null });
        tx.appendReceipt(delivery.id, {
          at: context.clock.now(),
          state: "cancelled",
          note: "its agent was removed",
        });
      }
      for (const { id, work } of tx.timers({}))
        if (work.kind === "reminder" && mailboxes.includes(work.to)) tx.removeTimer(id);
      tx.removeAgent(name);
      return waiting.map(({ message }) => message.id);
    });
    subscriptions.reload();
    states.changed(cancelled);
    return cancelled.length;
  }

  #put(tx: StoreWriter, name: AgentName, origin: "added" | "declared"): void {
    const createdAt = this.#parts.context.clock.now();
    tx.putAgent({ name, createdAt, origin, chosen: true, paused: false });
  }

  #session(tx: StoreWriter, agent: AgentName, name: string): StoredSession {
    const known = tx.sessionByName(agent, name);
    if (known !== undefined) return known;
    const ofAgent = tx.sessions({ exitedSince: 0 }).filter((session) => session.agent === agent);
    const same = ofAgent.find(({ id, main }) => id === name || (name === "main" && main));
    if (same !== undefined) return same;
    const now = this.#parts.context.clock.now();
    const session: StoredSession = {
      id: this.#parts.context.ids.session(),
      agent,
      name,
      main: name === "main",
      program: "",
      label: "",
      title: "",
      hooked: false,
      startedAt: now,
      lastActiveAt: now,
      // No program runs in it; one may be started for it later.
      exitedAt: now,
    };
    tx.putSession(session);
    return session;
  }

  #undeclareSessions(tx: StoreWriter, agent: AgentName, keep: ReadonlySet<string>): void {
    const { subscriptions } = this.#parts;
    for (const session of tx.sessions({ exitedSince: 0 })) {
      if (session.agent !== agent || session.name === undefined || keep.has(session.name)) continue;
      subscriptions.declare(tx, { kind: "session", sessionId: session.id }, []);
    }
  }
}

export function requireName(name: string): void {
  if (isAgentName(name)) return;
  throw new BellhopError("name.invalid", {
    message: `"${name}" cannot be a name.`,
    next: "Use lower-case letters, digits, dot, underscore and hyphen; start with a letter or digit; at most 64 characters.",
  });
}
