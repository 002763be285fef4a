/** What was said about automatic turns, the switch, and the log of conversations. */
import type { AgentName, Instant, SessionId } from "../../../core/message.ts";
import type { AutoRunWords } from "../../../core/turns/auto-run.ts";
import type { LoggedTurn, TurnOwner, TurnSwitch } from "../../../ports/turn-store.ts";
import {
  choice,
  EXACT_TEXT,
  FLAG,
  isRecord,
  isTexts,
  json,
  NUMBER,
  number,
  SHOWN_TEXT,
  TEXT,
  text,
} from "../columns.ts";
import type { Connection, Row } from "../connection.ts";
import { decode, Table } from "../table.ts";

const isWords = (value: unknown): value is AutoRunWords => isRecord(value);
const WORDS = json(isWords);

const SWITCH = new Table<TurnSwitch>({
  name: "turn_switch",
  key: "since",
  fields: { off: ["off", FLAG], since: ["since", NUMBER], by: ["turned_by", SHOWN_TEXT] },
});

const LOG = new Table<Omit<LoggedTurn, "number">>({
  name: "conversation_log",
  key: "turn_id",
  fields: {
    sessionId: ["session_id", TEXT],
    turnId: ["turn_id", TEXT],
    at: ["at", NUMBER],
    kind: ["kind", choice(["auto-turn", "auto-turn-result"])],
    text: ["text", EXACT_TEXT],
    messages: ["messages", json(isTexts)],
  },
});

export const autoRunReads = { autoRun, autoRuns, turnSwitch, loggedTurns };
export const autoRunWrites = { sayAutoRun, putTurnSwitch, logTurn };

const keyOf = (owner: TurnOwner): string =>
  owner.kind === "agent" ? `agent/${owner.agent}` : `session/${owner.sessionId}`;

function ownerOf(key: string): TurnOwner {
  const slash = key.indexOf("/");
  const name = key.slice(slash + 1);
  return key.slice(0, slash) === "agent"
    ? { kind: "agent", agent: name }
    : { kind: "session", sessionId: name };
}

function sayAutoRun(connection: Connection, owner: TurnOwner, words: AutoRunWords | undefined): void {
  if (words === undefined) connection.sql("DELETE FROM auto_runs WHERE owner = ?").run(keyOf(owner));
  else
    connection
      .sql("INSERT OR REPLACE INTO auto_runs (owner, words) VALUES (?, ?)")
      .run(keyOf(owner), WORDS.bind(words));
}

function autoRun(connection: Connection, owner: TurnOwner): AutoRunWords | undefined {
  const row = connection.sql("SELECT owner, words FROM auto_runs WHERE owner = ?").get(keyOf(owner));
  return row === undefined ? undefined : wordsIn(connection, row);
}

function autoRuns(
  connection: Connection,
): readonly { readonly owner: TurnOwner; readonly words: AutoRunWords }[] {
  const rows = connection.sql("SELECT owner, words FROM auto_runs ORDER BY owner").all();
  return rows.map((row) => ({ owner: ownerOf(text(row, "owner")), words: wordsIn(connection, row) }));
}

/** What cannot be read any more may have been a no. */
function wordsIn(connection: Connection, row: Row): AutoRunWords {
  const words = decode(connection, { name: "auto_runs", key: "owner" }, row, () =>
    WORDS.read(row.value("words"), "words"),
  );
  return words ?? { enabled: false };
}

function turnSwitch(connection: Connection): TurnSwitch | undefined {
  return SWITCH.read(
    connection,
    connection.sql(`SELECT ${SWITCH.selected} FROM turn_switch WHERE id = 1`).get(),
  );
}

function putTurnSwitch(connection: Connection, turned: TurnSwitch): void {
  connection
    .sql(`INSERT OR REPLACE INTO turn_switch (id, ${SWITCH.columns}) VALUES (1, ${SWITCH.marks})`)
    .run(...SWITCH.values(turned));
}

function logTurn(connection: Connection, entry: Omit<LoggedTurn, "number">): void {
  connection
    .sql(`INSERT INTO conversation_log (${LOG.columns}) VALUES (${LOG.marks})`)
    .run(...LOG.values(entry));
}

function loggedTurns(
  connection: Connection,
  sessionId: SessionId,
  { before, limit }: { readonly before?: number; readonly limit: number },
): readonly LoggedTurn[] {
  const rows = connection
    .sql(
      `SELECT number, ${LOG.selected} FROM conversation_log WHERE session_id = ? AND number < ? ORDER BY number DESC LIMIT 0 + ?`,
    )
    .all(sessionId, before ?? Number.MAX_SAFE_INTEGER, limit);
  return rows.flatMap((row) => {
    const entry = LOG.read(connection, row);
    return entry === undefined ? [] : [{ number: number(row, "number"), ...entry }];
  });
}

/** The agent was renamed. What was said of a removed one that had the new name does not count for it. */
export function moveAutoRun(connection: Connection, from: AgentName, to: AgentName): void {
  const [old, renamed] = [keyOf({ kind: "agent", agent: from }), keyOf({ kind: "agent", agent: to })];
  connection.sql("DELETE FROM auto_runs WHERE owner = ?").run(renamed);
  connection.sql("UPDATE auto_runs SET owner = ? WHERE owner = ?").run(renamed, old);
}

/** They were removed. Their turns stay as history, and still count for an agent that comes back. */
export function removeAutoRunsOf(connection: Connection, owners: readonly TurnOwner[]): void {
  for (const owner of owners) sayAutoRun(connection, owner, undefined);
}

export function forgetLogBefore(connection: Connection, at: Instant, limit: number): void {
  connection
    .sql(
      `DELETE FROM conversation_log WHERE number IN (
        SELECT number FROM conversation_log WHERE at < ? ORDER BY at LIMIT 0 + ?)`,
    )
    .run(at, limit);
}
