import { BellhopError } from "../../../core/errors.ts";
import type { AgentName } from "../../../core/message.ts";
import type { Agent } from "../../../core/session.ts";
import { choice, FLAG, NUMBER, TEXT } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { Table } from "../table.ts";
import { moveAddress } from "./address-moves.ts";
import { moveKeys } from "./own-keys.ts";
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
  delete connection.memory.agents;
}

/** With its mailbox, its sessions and its keys. Messages are facts: what they were addressed to stays. */
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
  moveSessions(connection, from, to);
  moveSubscriptions(connection, from, to);
  moveAddress(connection, `agent/${from}`, `agent/${to}`);
  moveKeys(connection, `agent/${from}`, `agent/${to}`);
  moveWatches(connection, `agent/${from}`, `agent/${to}`);
}

/** With its sessions; its deliveries stay as history. */
function removeAgent(connection: Connection, name: AgentName): void {
  connection.sql("DELETE FROM agents WHERE name = ?").run(name);
  delete connection.memory.agents;
  removeSubscriptionsOf(connection, name, sessionsOfAgent(connection, name));
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
