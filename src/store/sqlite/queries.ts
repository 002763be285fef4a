/** Maps every query of the port to the function over a connection that implements it. */
import type { StoreReader, StoreWriter } from "../../ports/store.ts";
import { departedReads, departedWrites } from "./cluster/departed-agents.ts";
import { hostReads, hostWrites } from "./cluster/known-hosts.ts";
import { underWayReads, underWayWrites } from "./cluster/letters-under-way.ts";
import { sentReads, sentWrites } from "./cluster/sent-letters.ts";
import { takenReads, takenWrites } from "./cluster/taken-letters.ts";
import type { Connection } from "./connection.ts";
import { arrivedIn } from "./messages/arrived.ts";
import { deliveryInserts, deliveryReads } from "./messages/deliveries.ts";
import { deliveryChanges } from "./messages/delivery-changes.ts";
import { insertMessage, messageReads } from "./messages/messages.ts";
import { queueReads } from "./messages/queue.ts";
import { appendReceipt, receiptsOf } from "./messages/receipts.ts";
import { forgetFinishedBefore } from "./messages/retention.ts";
import { trafficReads } from "./messages/traffic.ts";
import { unmatchedReads, unmatchedWrites } from "./messages/unmatched.ts";
import { arrivedReads, arrivedWrites } from "./outside/arrived.ts";
import { relayReads, relayWrites } from "./outside/relays.ts";
import { spokenReads, spokenWrites } from "./outside/spoken.ts";
import { agentReads, agentWrites } from "./sessions/agents.ts";
import { appendHookEvent, hookEvents, lastPrompt } from "./sessions/hook-events.ts";
import { keptDrafts, putKeptDraft } from "./sessions/kept-drafts.ts";
import { sessionReads, sessionWrites } from "./sessions/sessions.ts";
import { subscriptionReads, subscriptionWrites } from "./sessions/subscriptions.ts";
import { told, toldWrites } from "./sessions/told.ts";
import { watches, watchWrites } from "./sessions/watches.ts";
import { putReminderKey, reminderByKey } from "./time/reminder-keys.ts";
import { timerReads, timerWrites } from "./time/timers.ts";
import { autoRunReads, autoRunWrites } from "./turns/auto-runs.ts";
import { turnReads, turnWrites } from "./turns/turns.ts";
import { pushSubscriptionReads, pushSubscriptionWrites } from "./web/push-subscriptions.ts";
import { webSessionReads, webSessionWrites } from "./web/web-sessions.ts";

type Queries<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...values: infer Values) => infer Answer
    ? (connection: Connection, ...values: Values) => Answer
    : never;
};

export const READS: Queries<StoreReader> = {
  ...deliveryReads,
  ...messageReads,
  ...queueReads,
  arrivedIn,
  receiptsOf,
  ...unmatchedReads,
  ...trafficReads,
  ...agentReads,
  hookEvents,
  lastPrompt,
  keptDrafts,
  ...sessionReads,
  ...subscriptionReads,
  told,
  watches,
  reminderByKey,
  ...timerReads,
  ...arrivedReads,
  ...spokenReads,
  ...relayReads,
  ...turnReads,
  ...autoRunReads,
  ...webSessionReads,
  ...pushSubscriptionReads,
  ...sentReads,
  ...underWayReads,
  ...takenReads,
  ...hostReads,
  ...departedReads,
};

export const WRITES: Queries<Omit<StoreWriter, keyof StoreReader>> = {
  ...deliveryInserts,
  ...deliveryChanges,
  insertMessage,
  appendReceipt,
  forgetFinishedBefore,
  ...unmatchedWrites,
  ...agentWrites,
  appendHookEvent,
  putKeptDraft,
  ...sessionWrites,
  ...subscriptionWrites,
  ...toldWrites,
  ...watchWrites,
  putReminderKey,
  ...timerWrites,
  ...arrivedWrites,
  ...spokenWrites,
  ...relayWrites,
  ...turnWrites,
  ...autoRunWrites,
  ...webSessionWrites,
  ...pushSubscriptionWrites,
  ...sentWrites,
  ...underWayWrites,
  ...takenWrites,
  ...hostWrites,
  ...departedWrites,
};

export function queriesOver<Port extends object>(connection: Connection, queries: Queries<Port>): Port {
  const named = Object.entries<(connection: Connection, ...values: never[]) => unknown>(queries);
  return Object.fromEntries(named.map(([name, query]) => [name, query.bind(undefined, connection)])) as Port;
}
