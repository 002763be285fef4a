/** Turns without a terminal, and which one each delivery was part of. */
import type { AgentName, DeliveryId, Instant } from "../../../core/message.ts";
import { OPEN_TURN_STATES, TURN_STATES, type Turn, type TurnState } from "../../../core/turns/turn.ts";
import type { TurnFilter } from "../../../ports/turn-store.ts";
import {
  choice,
  EXACT_TEXT,
  FLAG,
  hasFields,
  isTexts,
  json,
  NUMBER,
  optional,
  SHOWN_TEXT,
  TEXT,
  text,
} from "../columns.ts";
import type { Connection } from "../connection.ts";
import { Table } from "../table.ts";

const isProcess = (value: unknown): value is NonNullable<Turn["process"]> =>
  hasFields(value, { pid: "number", startedAt: "string" });

const TURNS = new Table<Turn>({
  name: "turns",
  key: "id",
  fields: {
    id: ["id", TEXT],
    agent: ["agent", TEXT],
    sessionId: ["session_id", TEXT],
    runner: ["runner", TEXT],
    deliveries: ["deliveries", json(isTexts)],
    state: ["state", choice(TURN_STATES)],
    triggered: ["triggered", FLAG],
    again: ["again", FLAG],
    startedAt: ["started_at", NUMBER],
    endedAt: ["ended_at", optional(NUMBER)],
    process: ["process", optional(json(isProcess))],
    verdict: ["verdict", optional(choice(["yes", "no"]))],
    because: ["because", optional(SHOWN_TEXT)],
    answer: ["answer", optional(EXACT_TEXT)],
    error: ["error", optional(SHOWN_TEXT)],
    usd: ["usd", optional(NUMBER)],
    tokensIn: ["tokens_in", optional(NUMBER)],
    tokensOut: ["tokens_out", optional(NUMBER)],
  },
});

export const turnReads = { turn, turns, turnOf };
export const turnWrites = { putTurn };

function putTurn(connection: Connection, one: Turn): void {
  connection
    .sql(
      `INSERT INTO turns (${TURNS.columns}) VALUES (${TURNS.marks}) ON CONFLICT (id) DO UPDATE SET ${TURNS.overwritten}`,
    )
    .run(...TURNS.values(one));
  for (const delivery of one.deliveries) connection.sql(PART_OF).run(delivery, one.id);
}

/** A turn that is updated takes nothing back from one that was added after it. */
const PART_OF = `INSERT INTO turn_of (delivery_id, turn_id) VALUES (?, ?)
  ON CONFLICT (delivery_id) DO UPDATE SET turn_id = excluded.turn_id
  WHERE turn_id <> excluded.turn_id AND (SELECT rowid FROM turns WHERE id = excluded.turn_id)
    > coalesce((SELECT rowid FROM turns WHERE id = turn_of.turn_id), 0)`;

function turn(connection: Connection, id: string): Turn | undefined {
  const row = connection.sql(`SELECT ${TURNS.selected} FROM turns WHERE id = ?`).get(id);
  return TURNS.read(connection, row);
}

function turnOf(connection: Connection, delivery: DeliveryId): Turn | undefined {
  const row = connection.sql("SELECT turn_id FROM turn_of WHERE delivery_id = ?").get(delivery);
  return row === undefined ? undefined : turn(connection, text(row, "turn_id"));
}

/** As the partial index names them: only then is it used. */
const IS_OPEN = `state IN (${OPEN_TURN_STATES.map((state) => `'${state}'`).join(", ")})`;

/** Each combination is prepared once; however many states are asked for, the text is the same. */
function turns(
  connection: Connection,
  { agent, sessionId, states, since, limit }: TurnFilter,
): readonly Turn[] {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const add = (condition: string, value: string | number): void => {
    conditions.push(condition);
    values.push(value);
  };
  // Few are open: the `+` keeps SQLite from walking all that the agent or the session ever had.
  const open = states?.every(isOpenState) === true ? "+" : "";
  if (open !== "") conditions.push(IS_OPEN);
  if (agent !== undefined) add(`${open}agent = ?`, agent);
  if (sessionId !== undefined) add(`${open}session_id = ?`, sessionId);
  if (states !== undefined) add("instr(?, '|' || state || '|') > 0", `|${states.join("|")}|`);
  if (since !== undefined) add("started_at >= ?", since);
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")} `;
  const rows = connection
    .sql(`SELECT ${TURNS.selected} FROM turns ${where}ORDER BY started_at DESC, rowid DESC LIMIT 0 + ?`)
    .all(...values, limit ?? -1);
  return TURNS.readAll(connection, rows);
}

function isOpenState(state: TurnState): boolean {
  return OPEN_TURN_STATES.some((open) => open === state);
}

/** The agent was renamed. */
export function moveTurns(connection: Connection, from: AgentName, to: AgentName): void {
  connection.sql("UPDATE turns SET agent = ? WHERE agent = ?").run(to, from);
}

/** Those that ended before; one that is open stays. */
export function forgetTurnsBefore(connection: Connection, at: Instant, limit: number): void {
  const ended = connection
    .sql("SELECT id FROM turns WHERE ended_at < ? ORDER BY ended_at LIMIT 0 + ?")
    .all(at, limit);
  for (const row of ended) {
    connection.sql("DELETE FROM turn_of WHERE turn_id = ?").run(text(row, "id"));
    connection.sql("DELETE FROM turns WHERE id = ?").run(text(row, "id"));
  }
}
