import { constants, DatabaseSync } from "@photostructure/sqlite";
import { expect, it, onTestFinished } from "vitest";
import { connectionOver } from "../../src/store/sqlite/connection.ts";
import { IN_MEMORY, openDatabase, prepared } from "../../src/store/sqlite/open.ts";
import { storeOver } from "../../src/store/sqlite/store.ts";
import { exerciseReads, exerciseWrites } from "./store-exercise.ts";

/** Each may walk a whole table, for the reason beside it. */
const MAY_SCAN: readonly (readonly [statement: RegExp, why: string])[] = [
  [/^SELECT number, path FROM addresses$/, "kept in memory, read once"],
  [/tmux_window FROM sessions$/, "kept in memory, read once"],
  [/FROM agents ORDER BY name/, "kept in memory, read again after a change"],
  [/FROM kept_drafts ORDER BY kept_at/, "the answer is the whole table"],
  [/FROM kept_drafts WHERE settled_at IS NULL/, "the answer is the whole of a partial index"],
  [/FROM \(SELECT number, received_at FROM hook_events ORDER BY number LIMIT 0 \+ \?\)/, "ends at its limit"],
  [/UPDATE deliveries SET (mailbox|sender) = \?/, "a rename into the name of a removed agent"],
  [/UPDATE timers SET (mailbox|set_by) = \?/, "a rename into the name of a removed agent"],
  [/^UPDATE reminder_keys SET mailbox = \?/, "a rename, over the keys that are not forgotten yet"],
  [/origin FROM subscriptions$/, "kept in memory, read once"],
  [/FROM subscriptions WHERE agent = \? AND session_id = \? ORDER BY/, "sorts a thousand at most"],
  [/WHERE d\.owes IS NOT NULL/, "the whole of a partial index: what somebody is to be told"],
  [/FROM relays WHERE owes_confirmation = 1/, "the whole of a partial index: what people are to be told"],
  [/FROM sqlite_sequence/, "one row for each table that counts, at a start"],
  [/^DELETE FROM unmatched$/, "a person empties it"],
  [/FROM auto_runs ORDER BY owner/, "the answer is the whole table"],
  [/FROM web_sessions ORDER BY seen_at/, "the answer is the whole table"],
  [/FROM push_subscriptions ORDER BY/, "the answer is the whole table"],
  [/FROM turns ORDER BY started_at DESC, rowid DESC LIMIT/, "ends at its limit"],
  [
    /FROM turns WHERE instr\(\?, '\|' \|\| state \|\| '\|'\) > 0 ORDER BY/,
    "a person asks for some that ended",
  ],
  [
    /FROM turns WHERE state IN \('triage', 'running', 'answering', 'telling'\)/,
    "the whole of a partial index: few are open",
  ],
  [/FROM known_hosts ORDER BY host/, "the answer is the whole table"],
  [/INDEXED BY (sent|taken)_letters_\w+\s.*ORDER BY (s\.)?host, (s\.)?number LIMIT/s, "ends at its limit"],
  [/^SELECT host, count\(\*\)/, "the whole of a partial index, for a person who asks"],
  [/json_each\(\?8\)/, "those who may start no turns are few"],
  [/json_each\(\?2\)/, "the mailboxes of an export are few"],
  [/json_each\(\?3\)/, "the addresses of an agent are few"],
  [/min\(queued_at\) AS oldest FROM deliveries/, "the pairs of one page, which is searched by number"],
  [/FROM \(SELECT message FROM unmatched WHERE message >= \?/, "ends at its limit"],
];

/** What is asked for every message, or after every change, and the index that keeps it from walking what waits. */
const FOR_EVERY_MESSAGE: readonly (readonly [statement: RegExp, index: string])[] = [
  [/^SELECT min\(timeout_at\)/, "deliveries_by_timeout"],
  [/timeout_at <= \?/, "deliveries_by_timeout"],
  [/WHERE d\.owes IS NOT NULL/, "deliveries_owing"],
  [/WHERE mailbox = \? AND sender = \?/, "deliveries_unanswered"],
  [/d\.handled_by IS NULL LIMIT/, "deliveries_by_mailbox (state=? AND mailbox=?)"],
  [/d\.handled_by IS NULL ORDER BY/, "deliveries_by_mailbox (state=? AND mailbox=? AND priority=?)"],
  [/d\.hold IS NULL AND m\.source/, "deliveries_by_mailbox (state=? AND mailbox=? AND priority=?)"],
  [/FROM sessions WHERE agent = \? AND name = \?/, "sessions_by_name (agent=? AND name=?)"],
  [/FROM sessions WHERE id >= \? AND id < \?/, "(id>? AND id<?)"],
  [/FROM unmatched u .* WHERE u\.message [<>] \?/s, "SEARCH u USING INTEGER PRIMARY KEY"],
  [
    /FROM deliveries\s+WHERE sequence < \?1 AND sequence > \?2/,
    "SEARCH deliveries USING INTEGER PRIMARY KEY",
  ],
  [/^SELECT 1 FROM origins/, "origins_by_place (path=?)"],
  [/^SELECT 1 FROM unmatched/, "SEARCH unmatched USING INTEGER PRIMARY KEY"],
  [/FROM turns WHERE state IN \('triage', 'running', 'answering', 'telling'\)/, "turns_open"],
  [/FROM turns WHERE agent = \? AND started_at >= \?/, "turns_by_agent (agent=? AND started_at>?)"],
  [/FROM turns WHERE session_id = \? ORDER BY/, "turns_by_session (session_id=?)"],
  [/FROM auto_runs WHERE owner = \?/, "PRIMARY KEY (owner=?)"],
  [/FROM sent_letters s\s.*WHERE s\.delivery = \?/s, "sqlite_autoindex_sent_letters_1 (delivery=?)"],
  [/sent_letters_open\s.*s\.host = \? ORDER BY/s, "sent_letters_open (host=?)"],
  [/sent_letters_unstored\s.*s\.host = \? ORDER BY/s, "sent_letters_unstored (host=?)"],
  [/sent_letters_to_ask_back\s.*s\.host = \?/s, "sent_letters_to_ask_back (host=?)"],
  [/sent_letters_quiet\s/s, "sent_letters_quiet (host=? AND (quiet_at,rowid)>(?,?) AND quiet_at<?)"],
  [
    /FROM deliveries d INDEXED BY deliveries_by_mailbox\s.*sent_letters/s,
    "deliveries_by_mailbox (state=? AND mailbox=?",
  ],
  [/^DELETE FROM sent_letters/, "sqlite_autoindex_sent_letters_1 (delivery=?)"],
  [/sent_letters_unheard\s.*s\.number < \?/s, "sent_letters_unheard (host=? AND number<?)"],
  [/^UPDATE sent_letters/, "sent_letters_unheard (host=?)"],
  [/sent_letters_due\s/s, "sent_letters_due (due_at>? AND due_at<?)"],
  [/sent_letters_open\s.*s\.host = \? AND s\.number > \?/s, "sent_letters_open (host=? AND number>?)"],
  [/FROM taken_letters WHERE host = \?/, "sqlite_autoindex_taken_letters_1 (host=? AND delivery=?)"],
  [/FROM taken_letters WHERE message_id = \?/, "taken_letters_by_message (message_id=?)"],
  [/UPDATE taken_letters SET is_over = 1/, "taken_letters_by_message (message_id=?)"],
  [/taken_letters_open\s.*host = \? ORDER BY/s, "taken_letters_open (host=?)"],
  [/taken_letters_open\s.*host = \? AND number > \?/s, "taken_letters_open (host=? AND number>?)"],
  [/taken_letters SET host = \?/, "sqlite_autoindex_taken_letters_1 (host=?)"],
  [/DELETE FROM taken_letters.*tombstone_since/s, "taken_letters_tombstones (tombstone_since<?)"],
  [/DELETE FROM taken_letters.*taken_letters_refused/s, "taken_letters_refused (host=?)"],
];

async function exercised(): Promise<{ readonly texts: readonly string[]; plan(text: string): string[] }> {
  const database = await openDatabase(IN_MEMORY);
  const connection = connectionOver(database, () => {});
  const store = storeOver(database, connection);
  onTestFinished(() => store.close());
  await store.write((tx) => exerciseWrites(tx));
  exerciseReads(store.read);
  const plan = (text: string) => {
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all() as { readonly detail: string }[];
    return steps.map(({ detail }) => detail);
  };
  return { texts: connection.preparedTexts(), plan };
}

/** SQLite asks what a statement may do only while it compiles it. */
function compiledAgain(database: InstanceType<typeof DatabaseSync>, text: string): boolean {
  let asked = 0;
  database.setAuthorizer(() => {
    asked += 1;
    return constants.SQLITE_OK;
  });
  database.exec("BEGIN");
  const statement = database.prepare(text);
  const values = new Set(text.match(/\?\d+/g)).size || text.split("?").length - 1;
  asked = 0;
  for (const value of [1, 2]) {
    try {
      statement.all(...Array.from({ length: values }, () => value));
    } catch {
      // They mean nothing, and may be refused.
    }
  }
  const again = asked > 0;
  database.exec("ROLLBACK");
  return again;
}

it("answers every query of the store from an index, without sorting", async () => {
  const { texts, plan } = await exercised();
  expect(texts.length).toBeGreaterThan(40);
  const slow: string[] = [];
  for (const text of texts) {
    const bad = plan(text).filter((detail) => /^SCAN (?!CONSTANT)|TEMP B-TREE FOR ORDER/.test(detail));
    if (bad.length > 0 && !MAY_SCAN.some(([statement]) => statement.test(text)))
      slow.push(`${text}\n  → ${bad.join("; ")}`);
  }
  expect(slow).toEqual([]);
});

// SQLite would look at each value of `LIMIT ?`, and of `state = ?` where an index is for one state, and plan anew.
it("compiles no query again for other values", async () => {
  const { texts } = await exercised();
  const database = new DatabaseSync(IN_MEMORY);
  prepared(() => database, IN_MEMORY);
  onTestFinished(() => database.close());
  const withValues = texts.filter((text) => text.includes("?"));
  expect(withValues.length).toBeGreaterThan(40);
  expect(withValues.filter((text) => compiledAgain(database, text))).toEqual([]);
});

it.each(FOR_EVERY_MESSAGE)("answers %s by %s, however much waits", async (statement, index) => {
  const { texts, plan } = await exercised();
  const asked = texts.filter((text) => statement.test(text));
  expect(asked).not.toEqual([]);
  for (const text of asked) expect(plan(text).join("; ")).toContain(index);
});
