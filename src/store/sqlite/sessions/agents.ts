import { BellhopError } from "../../../core/errors.ts";
import type { AgentName } from "../../../core/message.ts";
import type { Agent } from "../../../core/session.ts";
import { choice, decodeAll, flag, number, text } from "../columns.ts";
import type { Connection, Row } from "../connection.ts";
import { moveAddress } from "./address-moves.ts";
import { moveKeys } from "./own-keys.ts";
import { moveSessions, removeSessionsOf, sessionsOfAgent } from "./sessions.ts";
import { moveSubscriptions, removeSubscriptionsOf } from "./subscriptions.ts";
import { moveWatches, removeWatchesBy } from "./watches.ts";

export function putAgent(connection: Connection, agent: Agent): void {
  connection
    .sql(
      `INSERT INTO agents (name, created_at, origin, chosen, paused) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET created_at = excluded.created_at, origin = excluded.origin,
         chosen = excluded.chosen, paused = excluded.paused`,
    )
    .run(agent.name, agent.createdAt, agent.origin, agent.chosen, agent.paused);
  delete connection.memory.agents;
}

/** With its mailbox, its sessions and its keys. Messages are facts: what they were addressed to stays. */
export function renameAgent(connection: Connection, from: AgentName, to: AgentName): void {
  if (from === to) return;
  if (agentByName(connection, to) !== undefined) {
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
  moveSessions(connection, from, to);
  moveSubscriptions(connection, from, to);
  moveAddress(connection, `agent/${from}`, `agent/${to}`);
  moveKeys(connection, `agent/${from}`, `agent/${to}`);
  moveWatches(connection, `agent/${from}`, `agent/${to}`);
}

/** With its sessions; its deliveries stay as history. */
export function removeAgent(connection: Connection, name: AgentName): void {
  connection.sql("DELETE FROM agents WHERE name = ?").run(name);
  delete connection.memory.agents;
  removeSubscriptionsOf(connection, name, sessionsOfAgent(connection, name));
  removeSessionsOf(connection, name);
  removeWatchesBy(connection, `agent/${name}`);
}

export function agentByName(connection: Connection, name: AgentName): Agent | undefined {
  return knownAgents(connection).get(name);
}

/** In order of name. */
export function allAgents(connection: Connection): readonly Agent[] {
  return [...knownAgents(connection).values()];
}

function knownAgents(connection: Connection): ReadonlyMap<AgentName, Agent> {
  connection.memory.agents ??= new Map(readAgents(connection).map((agent) => [agent.name, agent]));
  return connection.memory.agents;
}

function readAgents(connection: Connection): readonly Agent[] {
  const rows = connection
    .sql("SELECT name, created_at, origin, chosen, paused FROM agents ORDER BY name")
    .all();
  return decodeAll(connection, "agents", "name", rows, readAgent);
}

function readAgent(row: Row): Agent {
  return {
    name: text(row, "name"),
    createdAt: number(row, "created_at"),
    origin: choice(row, "origin", ["discovered", "added", "declared"]),
    chosen: flag(row, "chosen"),
    paused: flag(row, "paused"),
  };
}
