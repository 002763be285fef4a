import type { Receipt } from "../../src/core/message.ts";
import type { Agent } from "../../src/core/session.ts";
import type {
  KeptDraft,
  NewDelivery,
  NewMessage,
  StoredHookEvent,
  StoredSession,
  StoreWriter,
  Timer,
} from "../../src/ports/store.ts";

/** Rows that differ only in what a test says about them. */
let made = 0;

export function aMessage(told: Partial<NewMessage> = {}): NewMessage {
  made += 1;
  const number = made.toString(36).padStart(6, "0");
  return {
    id: `${made.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`,
    shortId: number,
    from: "agent/writer",
    to: "agent/reader",
    body: `body ${made}`,
    form: { kind: "text" },
    priority: "normal",
    source: "agent",
    hops: 0,
    createdAt: 1_000 + made,
    file: `reader/${made}.md`,
    ...told,
  };
}

export function aDelivery(messageId: string, told: Partial<NewDelivery> = {}): NewDelivery {
  made += 1;
  return {
    messageId,
    to: "agent/reader",
    priority: "normal",
    state: "queued",
    release: "by-rule",
    atMostOnce: false,
    queuedAt: 2_000 + made,
    ...told,
  };
}

/** A message and its one delivery, as `accept` stores them. */
export function post(
  tx: StoreWriter,
  told: { readonly message?: Partial<NewMessage>; readonly delivery?: Partial<NewDelivery> } = {},
): { readonly messageId: string; readonly deliveryId: string } {
  const message = aMessage(told.message);
  tx.insertMessage(message);
  const delivery = tx.insertDelivery(aDelivery(message.id, told.delivery));
  return { messageId: message.id, deliveryId: delivery.id };
}

export function aReceipt(told: Partial<Receipt> = {}): Receipt {
  return { at: 3_000, state: "queued", ...told };
}

export function anAgent(name: string, told: Partial<Agent> = {}): Agent {
  return { name, createdAt: 1, origin: "discovered", chosen: false, paused: false, ...told };
}

export function aSession(id: string, told: Partial<StoredSession> = {}): StoredSession {
  return {
    id,
    agent: "reader",
    main: true,
    program: "claude",
    label: "work:1.0",
    title: "",
    hooked: false,
    startedAt: 1,
    lastActiveAt: 1,
    ...told,
  };
}

export function aDraft(id: string, told: Partial<KeptDraft> = {}): KeptDraft {
  return {
    id,
    sessionId: "08bc57cf",
    text: "half a thought",
    exact: true,
    how: "stash",
    state: "kept",
    keptAt: 1,
    ...told,
  };
}

export function aHookEvent(told: Partial<StoredHookEvent> = {}): StoredHookEvent {
  return { sessionId: "08bc57cf", event: "stop", emittedAt: 1, receivedAt: 2, tokens: [], ...told };
}

export function aReminder(id: string, told: Partial<Timer> = {}): Timer {
  const work = { kind: "reminder", to: "agent/reader", setBy: "agent/writer", text: "look again" } as const;
  return { id, dueAt: 9_000, createdAt: 4_000, fired: 0, counts: "elapsed", work, ...told };
}

export function aFollowUp(id: string, told: Partial<Timer> = {}): Timer {
  return aReminder(id, { work: { kind: "follow-up", deliveryId: "0000.1", afterMs: 300_000 }, ...told });
}

export const AN_IDENTITY = {
  kind: "tmux",
  server: "/run/tmux/default",
  pane: "%3",
  serverPid: 10,
  serverStartedAt: "100",
  panePid: 11,
  agentPid: 12,
  agentStartedAt: "101",
} as const;

export const AN_ATTEMPT = {
  sessionId: "08bc57cf",
  transport: "paste",
  token: "#m7k2q9]",
  promptDigest: "ab12",
  startedAt: 5_000,
  wasBusy: false,
} as const;

/** A message as it is read: without what only the store needs. */
export function asRead(message: NewMessage): unknown {
  const { idempotencyKey: _, contentDigest: __, ...rest } = message;
  return rest;
}
