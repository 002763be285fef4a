/** Agents that moved to other hosts, while nobody has their names here. */
import type { AgentName, Instant } from "../../../core/message.ts";
import type { DepartedAgent } from "../../../ports/cluster-store.ts";
import { NUMBER, TEXT } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { Table } from "../table.ts";

const DEPARTED = new Table<DepartedAgent>({
  name: "departed_agents",
  key: "name",
  fields: { name: ["name", TEXT], host: ["host", TEXT], leftAt: ["left_at", NUMBER] },
});

const ONE = `SELECT ${DEPARTED.selected} FROM departed_agents WHERE name = ?`;
const PUT = `INSERT INTO departed_agents (${DEPARTED.columns}) VALUES (${DEPARTED.marks})
  ON CONFLICT (name) DO UPDATE SET ${DEPARTED.overwritten}`;
const FORGET = `DELETE FROM departed_agents WHERE name IN (SELECT name FROM departed_agents
  WHERE left_at < ? ORDER BY left_at LIMIT 0 + ?)`;

export const departedReads = { departedAgent };
export const departedWrites = { putDepartedAgent };

function departedAgent(connection: Connection, name: AgentName): DepartedAgent | undefined {
  return DEPARTED.read(connection, connection.sql(ONE).get(name));
}

function putDepartedAgent(connection: Connection, departed: DepartedAgent): void {
  connection.sql(PUT).run(...DEPARTED.values(departed));
}

/** Somebody has the name here. */
export function forgetDeparted(connection: Connection, name: AgentName): void {
  connection.sql("DELETE FROM departed_agents WHERE name = ?").run(name);
}

export function forgetDepartedBefore(connection: Connection, at: Instant, limit: number): void {
  connection.sql(FORGET).run(at, limit);
}
