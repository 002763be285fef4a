/** Asks the store for everything that it can do, once: so that each of its statements is seen. */
import { DELIVERY_STATES } from "../../src/core/message.ts";
import { OPEN_TURN_STATES, TURN_STATES } from "../../src/core/turns/turn.ts";
import type { StoreReader, StoreWriter } from "../../src/ports/store.ts";
import { aKnownHost, aSentLetter, aTakenLetter } from "./store-letter-samples.ts";
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

export function exerciseWrites(tx: StoreWriter): void {
  const { messageId, deliveryId } = post(tx);
  tx.readdressDelivery(deliveryId, "agent/c");
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
  exerciseLetters(tx, deliveryId);
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

function exerciseLetters(tx: StoreWriter, deliveryId: string): void {
  tx.putSentLetter(aSentLetter(deliveryId));
  tx.unstoreUnheard("laptop");
  const { deliveryId: gone } = post(tx, { delivery: { to: "host/box" } });
  tx.putSentLetter(aSentLetter(gone, { host: "box" }));
  tx.removeSentLetter(gone);
  tx.putTakenLetter(aTakenLetter("m.1"));
  tx.keepNewestRefused("laptop", 10);
  tx.renameTaken("nobody", "box");
  tx.putKnownHost(aKnownHost("laptop"));
  tx.putDepartedAgent({ name: "gone", host: "laptop", leftAt: 1 });
}

function exerciseLetterReads(read: StoreReader, deliveryId: string): void {
  read.sentLetter(deliveryId);
  read.lettersDue(1, 9);
  read.lastUnheard("laptop");
  read.lettersToAskBack("laptop", 9);
  for (const after of [undefined, deliveryId]) {
    // The mailbox of a host is looked up, and it is there.
    read.lettersUnderWay({ host: "box", limit: 9, ...(after && { after }) });
    const last = after && { delivery: after, quietAt: 1 };
    const quiet = { host: "laptop", since: 0, by: 9, limit: 9 } as const;
    read.quietLetters({ ...quiet, ...(last && { after: last }) });
  }
  read.takenAs("m");
  for (const host of [undefined, "laptop"])
    for (const isAfter of [false, true]) {
      const filter = { limit: 9, ...(host && { host }) };
      const after = { host: "laptop", delivery: "m.1" };
      read.takenLetters({ ...filter, ...(isAfter && { after }) });
      const sent = { ...filter, ...(isAfter && { after: deliveryId }) };
      for (const unstored of [false, true]) read.sentLetters({ ...sent, unstored });
      read.sentLetters({ ...sent, unstored: true, notWithdrawn: true });
    }
  read.takenLetter("laptop", "m.1");
  read.knownHosts();
  read.departedAgent("gone");
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

export function exerciseReads(read: StoreReader): void {
  // Only for what is there is the store asked at all.
  const [item] = read.deliveries({ mailboxes: ["agent/c"] });
  if (item === undefined) throw new Error("nothing of what was written is there");
  const [messageId, deliveryId] = [item.message.id, item.delivery.id];
  exerciseOutsideReads(read, messageId);
  exerciseTurnReads(read);
  exerciseLetterReads(read, deliveryId);
  read.message(messageId);
  read.findMessages("abcdef", 5);
  read.findDelivery(deliveryId);
  read.byIdempotencyKey("k");
  read.deliveriesOf(messageId);
  read.receiptsOf(deliveryId);
  read.deliveries({ states: DELIVERY_STATES });
  read.deliveries({ mailboxes: ["agent/c"], states: ["queued"], limit: 10 });
  read.deliveries({ states: ["queued"], priority: "interrupt" });
  read.deliveries({
    mailboxes: ["agent/c"],
    states: ["queued"],
    forTerminals: true,
    exceptFrom: ["agent/b"],
  });
  read.fewQueued(["agent/c"], 10);
  read.countQueued();
  read.countQueued(["agent/c"]);
  read.countDelivering("agent/c");
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
  read.deliveries({ mailboxes: ["agent/c"], states: ["queued"], unheld: true, among: 500 });
  read.mailboxesWithQueued();
  read.mailboxesWithDelivering();
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
  read.lastPrompt("08bc57cf", 9);
}
