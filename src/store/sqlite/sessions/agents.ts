import { BellhopError } from "../../../core/errors.ts";
import type { Address, AgentName } from "../../../core/message.ts";
import { keyRange } from "../../../core/rights/own-key.ts";
import type { Agent } from "../../../core/session.ts";
import { findAddress } from "../addresses.ts";
import { forgetDeparted } from "../cluster/departed-agents.ts";
import { choice, FLAG, isTexts, json, NUMBER, optional, TEXT } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { Table } from "../table.ts";
import { moveTimers } from "../time/timers.ts";
import { moveAutoRun, removeAutoRunsOf } from "../turns/auto-runs.ts";
import { moveTurns } from "../turns/turns.ts";
import { moveSessions, removeSessionsOf, sessionsOfAgent } from "./sessions.ts";
import { moveSubscriptions, removeSubscriptionsOf } from "./subscriptions.ts";
import { moveWatches, removeWatchesBy } from "./watches.ts";

const AGENTS = new Table<Agent>({
  name: "agents",
  key: "name",
  fields: {
    name: ["name", TEXT],
    createdAt: ["created_at", NUMBER],
    origin: ["origin", choice(["discovered", "added", "declared"])],
    chosen: ["chosen", FLAG],
    paused: ["paused", FLAG],
    moving: ["moving", optional(json(isTexts))],
    cameFrom: ["came_from", optional(TEXT)],
  },
});

export const agentReads = { agent, agents };
export const agentWrites = { putAgent, renameAgent, removeAgent };

function putAgent(connection: Connection, agent: Agent): void {
  connection
    .sql(
      `INSERT INTO agents (${AGENTS.columns}) VALUES (${AGENTS.marks})
       ON CONFLICT (name) DO UPDATE SET ${AGENTS.overwritten}`,
    )
    .run(...AGENTS.values(agent));
  forgetDeparted(connection, agent.name);
  delete connection.memory.agents;
}

/** With its mailbox, sessions and keys. Messages are facts: the address they were sent to stays. */
function renameAgent(connection: Connection, from: AgentName, to: AgentName): void {
  if (from === to) return;
  if (agent(connection, to) !== undefined) {
    throw new BellhopError("agent.exists", {
      message: `There is already an agent named "${to}".`,
      next: "Choose another name, or remove that agent first.",
    });
  }
  if (connection.sql("UPDATE agents SET name = ? WHERE name = ?").run(to, from) === 0) {
    throw new BellhopError("agent.unknown", {
      message: `No agent is named "${from}".`,
      next: `List agents with "bellhop agent list".`,
    });
  }
  delete connection.memory.agents;
  forgetDeparted(connection, to);
  moveSessions(connection, from, to);
  moveSubscriptions(connection, from, to);
  moveAddress(connection, `agent/${from}`, `agent/${to}`);
  moveKeys(connection, `agent/${from}`, `agent/${to}`);
  moveWatches(connection, `agent/${from}`, `agent/${to}`);
  moveTurns(connection, from, to);
  moveAutoRun(connection, from, to);
}

/** With its sessions; its deliveries and turns stay as history. */
function removeAgent(connection: Connection, name: AgentName): void {
  connection.sql("DELETE FROM agents WHERE name = ?").run(name);
  delete connection.memory.agents;
  const sessions = sessionsOfAgent(connection, name);
  removeSubscriptionsOf(connection, name, sessions);
  removeAutoRunsOf(connection, [
    { kind: "agent", agent: name },
    ...sessions.map((sessionId) => ({ kind: "session", sessionId }) as const),
  ]);
  removeSessionsOf(connection, name);
  removeWatchesBy(connection, `agent/${name}`);
}

function agent(connection: Connection, name: AgentName): Agent | undefined {
  return knownAgents(connection).get(name);
}

/** In order of name. */
function agents(connection: Connection): readonly Agent[] {
  return [...knownAgents(connection).values()];
}

function knownAgents(connection: Connection): ReadonlyMap<AgentName, Agent> {
  if (connection.memory.agents === undefined) {
    const rows = connection.sql(`SELECT ${AGENTS.selected} FROM agents ORDER BY name`).all();
    connection.memory.agents = new Map(AGENTS.readAll(connection, rows).map((agent) => [agent.name, agent]));
  }
  return connection.memory.agents;
}

/** Everything in the mailbox, and everything its owner sent, is then found under the new path. */
function moveAddress(connection: Connection, from: Address, to: Address): void {
  const source = findAddress(connection, from);
  if (source === undefined) return;
  const target = findAddress(connection, to);
  delete connection.memory.addresses;
  delete connection.memory.answered;
  if (target === undefined) {
    connection.sql("UPDATE addresses SET path = ? WHERE number = ?").run(to, source);
    return;
  }
  // Only if the new name belonged to a removed agent: rare enough for two scans of the table.
  connection.sql("UPDATE deliveries SET mailbox = ? WHERE mailbox = ?").run(target, source);
  connection.sql("UPDATE deliveries SET sender = ? WHERE sender = ?").run(target, source);
  moveTimers(connection, source, target);
  connection.sql("DELETE FROM addresses WHERE number = ?").run(source);
}

/** A renamed agent keeps its keys. Those of a removed agent that had the new name are deleted. */
function moveKeys(connection: Connection, from: Address, to: Address): void {
  const left = keyRange(to);
  connection
    .sql("UPDATE messages SET idempotency_key = NULL WHERE idempotency_key >= ? AND idempotency_key < ?")
    .run(...left);
  connection.sql("DELETE FROM reminder_keys WHERE key >= ? AND key < ?").run(...left);
  const moved = [to, from, ...keyRange(from)] as const;
  connection
    .sql(
      `UPDATE messages SET idempotency_key = ?1 || substr(idempotency_key, length(?2) + 1)
       WHERE idempotency_key >= ?3 AND idempotency_key < ?4`,
    )
    .run(...moved);
  connection
    .sql(
      `UPDATE reminder_keys SET key = ?1 || substr(key, length(?2) + 1)
       WHERE key >= ?3 AND key < ?4`,
    )
    .run(...moved);
  connection.sql("UPDATE reminder_keys SET mailbox = ? WHERE mailbox = ?").run(to, from);
}
