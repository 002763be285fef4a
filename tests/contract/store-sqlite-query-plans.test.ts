import { constants, DatabaseSync } from "@photostructure/sqlite";
import { expect, it, onTestFinished } from "vitest";
import { DELIVERY_STATES } from "../../src/core/message.ts";
import { OPEN_TURN_STATES, TURN_STATES } from "../../src/core/turns/turn.ts";
import type { StoreReader, StoreWriter } from "../../src/ports/store.ts";
import { connectionOver } from "../../src/store/sqlite/connection.ts";
import { IN_MEMORY, openDatabase, prepared } from "../../src/store/sqlite/open.ts";
import { storeOver } from "../../src/store/sqlite/store.ts";
import { aDialogKey, anAskedBack, anEcho, anOrigin, aRelay, aSpoken } from "./store-outside.ts";
import {
  AN_ATTEMPT,
  aDelivery,
  aDraft,
  aFollowUp,
  aHookEvent,
  aMessage,
  anAgent,
  aReceipt,
  aReminder,
  aSession,
  post,
} from "./store-samples.ts";
import { aLogged, aTurn } from "./store-turns.ts";

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

function exerciseWrites(tx: StoreWriter): void {
  const { messageId, deliveryId } = post(tx);
  tx.moveDelivery(deliveryId, aReceipt({ state: "delivering" }), { attempt: AN_ATTEMPT, position: 2 });
  tx.updateDelivery(deliveryId, { hold: null });
  tx.insertDelivery(aDelivery(messageId, { to: "agent/b" }));
  tx.appendReceipt(deliveryId, aReceipt());
  const dead = aMessage();
  tx.insertMessage(dead);
  tx.insertUnmatched(dead.id, 1, "nobody");
  tx.removeUnmatched(dead.id);
  tx.clearUnmatched();
  const owner = { kind: "agent", agent: "reader" } as const;
  tx.putSubscription({ owner, pattern: "x/*", addedAt: 1, origin: "asked" });
  tx.putSubscription({ owner, pattern: "y/*", addedAt: 1, origin: "asked" });
  tx.removeSubscription(owner, "y/*");
  tx.putAgent(anAgent("a"));
  tx.putAgent(anAgent("reader"));
  tx.renameAgent("reader", "b");
  tx.renameAgent("b", "c");
  tx.putSession(aSession("08bc57cf", { name: "monitor" }));
  tx.removeAgent("a");
  tx.putKeptDraft(aDraft("k"));
  tx.appendHookEvent(aHookEvent());
  post(tx, { message: { createdAt: 0 }, delivery: { state: "read" } });
  tx.putTimer(aReminder("r"));
  tx.putTimer(aFollowUp("f"));
  tx.removeTimer("r");
  tx.putReminderKey({ key: "k", contentDigest: "d", id: "r", to: "agent/c", dueAt: 1, setAt: 1 });
  tx.updateDelivery(deliveryId, { owes: null });
  tx.shiftDeadlines(5, tx.deadlineMark());
  exerciseOutside(tx, messageId);
  exerciseTurns(tx);
  tx.forgetFinishedBefore(0, 10);
  tx.forgetFinishedBefore(1e9, 10);
}

function exerciseOutside(tx: StoreWriter, messageId: string): void {
  tx.keepForBridge("telegram", { offset: "1", gone: null });
  tx.putOrigin(anOrigin(messageId));
  tx.putSpoken(aSpoken("s"));
  tx.putEcho(anEcho("e"));
  tx.eatEcho("telegram/42", "d", "sent", 0);
  tx.putRelay(aRelay(messageId));
  tx.putAskedBack(anAskedBack("q"));
  tx.removeAskedBack("q");
  tx.putDialogKey(aDialogKey("k"));
}

function exerciseTurns(tx: StoreWriter): void {
  tx.putTurn(aTurn("t", { deliveries: ["m.1"] }));
  tx.putTurn(aTurn("ended", { deliveries: ["m.1"], state: "done", endedAt: 1 }));
  tx.sayAutoRun({ kind: "agent", agent: "reader" }, { enabled: true });
  tx.sayAutoRun({ kind: "agent", agent: "reader" }, undefined);
  tx.putTurnSwitch({ off: true, since: 1, by: "dev" });
  const texts = { cookieDigest: "c", keyDigest: "k", browser: "b", host: "h" };
  tx.putWebSession({ id: "w", ...texts, loggedInAt: 1, seenAt: 1 });
  tx.seeWebSession("w", 2);
  tx.putPushSubscription({ webSession: "w", endpoint: "e", publicKey: "p", secret: "s", since: 1 });
  tx.removePushSubscription("v");
  tx.removeWebSession("w");
  tx.logTurn(aLogged("t"));
}

function exerciseTurnReads(read: StoreReader): void {
  read.turn("t");
  read.turnOf("m.1");
  for (const states of [undefined, OPEN_TURN_STATES, TURN_STATES])
    for (const agent of [undefined, "reader"])
      for (const sessionId of [undefined, "08bc57cf"])
        for (const since of [undefined, 1])
          read.turns({
            ...(states && { states }),
            ...(agent && { agent }),
            ...(sessionId && { sessionId }),
            ...(since && { since }),
          });
  read.autoRun({ kind: "agent", agent: "reader" });
  read.autoRuns();
  read.webSessions();
  read.webSessionByCookie("c");
  read.pushSubscriptions();
  read.turnSwitch();
  read.loggedTurns("08bc57cf", { limit: 5 });
}

function exerciseOutsideReads(read: StoreReader, messageId: string): void {
  read.bridgeKept("telegram", "offset");
  read.origin(messageId);
  read.arrivedAs("telegram", "u");
  read.hasArrivedFrom("telegram/42");
  read.spoken("telegram", "s");
  read.spokenParts(messageId);
  read.spokenSince("telegram/42", 0);
  read.relayOf(messageId);
  read.relayedAs(messageId);
  read.lastRelay("telegram/42");
  read.owingConfirmation(5);
  read.askedBack("telegram/42", 0);
  read.dialogKey("k");
  read.openDialogKeys("08bc57cf");
}

function exerciseReads(read: StoreReader): void {
  // Only for what is there is the store asked at all.
  const [item] = read.deliveries({ mailboxes: ["agent/c"] });
  if (item === undefined) throw new Error("nothing of what was written is there");
  const [messageId, deliveryId] = [item.message.id, item.delivery.id];
  exerciseOutsideReads(read, messageId);
  exerciseTurnReads(read);
  read.message(messageId);
  read.findMessages("abcdef", 5);
  read.findDelivery(deliveryId);
  read.byIdempotencyKey("k");
  read.deliveriesOf(messageId);
  read.receiptsOf(deliveryId);
  read.deliveries({ states: DELIVERY_STATES });
  read.deliveries({ mailboxes: ["agent/c"], states: ["queued"], limit: 10 });
  read.deliveries({ states: ["queued"], priority: "interrupt" });
  read.fewQueued(["agent/c"], 10);
  read.countQueued();
  read.countQueued(["agent/c"]);
  read.attemptedIn("08bc57cf", ["delivering"], 5);
  read.arrivedIn("08bc57cf");
  read.answerTo(messageId);
  read.newestUnanswered(["agent/writer"], ["agent/c"]);
  read.isUnmatched(messageId);
  read.unmatchedReason(messageId);
  read.unmatchedWishes(messageId);
  read.unmatched({ limit: 10 });
  read.unmatchedAfter(0, 10);
  read.itemsAfter(["agent/c"], 0, 10);
  read.itemsAbout(["agent/c"], Number.MAX_SAFE_INTEGER, 10);
  read.talked({ since: 1, until: 9, limit: 10 });
  read.unmatchedBySender({ since: 1, limit: 10 });
  read.subscriptions();
  read.subscriptionsAfter(undefined, 10);
  read.subscriptionsOf({ kind: "agent", agent: "a" });
  read.sessionByName("reader", "monitor");
  read.deliveries({ mailboxes: ["agent/c"], states: ["queued"], forTerminals: true });
  read.deliveries({ mailboxes: ["agent/c"], states: ["queued"], forTerminals: true, newestFirst: true });
  read.deliveries({ mailboxes: ["agent/c"], newestFirst: true, from: 1, until: 2, limit: 10 });
  read.deliveries({ mailboxes: ["agent/c"], states: ["queued"], unheld: true, source: "bellhop" });
  read.mailboxesWithQueued();
  read.owing(5);
  read.nextExpiry();
  read.expiring(9, 5);
  read.timer("r");
  read.timers({});
  read.timers({ dueBy: 1, limit: 5 });
  read.nextTimer();
  read.reminderByKey("k");
  read.deadlineMark();
  read.agent("a");
  read.agents();
  read.session("08bc57cf");
  read.sessions({ exitedSince: 1 });
  read.sessionByProgramId("claude", "p");
  read.sessionsStarting("08bc");
  read.keptDrafts({});
  read.keptDrafts({ open: true });
  read.keptDrafts({ sessionId: "08bc57cf" });
  read.hookEvents("08bc57cf", 0);
}
