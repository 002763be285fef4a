/**
 * What each request needs of whoever makes it: one line per verb, by its fields. A need falls away where the thing it
 * is about is the speaker's own. Pure; `office/permissions.ts` knows what is whose.
 */
import type { Instant, Json } from "../message.ts";
import { parsePriority } from "../priority.ts";
import type { Right } from "./rights.ts";

export type Thing =
  /** By any word for a recipient. */
  | { readonly kind: "mailbox"; readonly who: string }
  /** By the agent's own name. */
  | { readonly kind: "agent"; readonly name: string }
  /** From the one who asks, or to them. */
  | { readonly kind: "message"; readonly id: string }
  /** It waits in their mailbox. */
  | { readonly kind: "delivery"; readonly id: string }
  /** They sent it, or it waits in their mailbox. */
  | { readonly kind: "sent"; readonly id: string }
  /** Its terminal is theirs, or that of a child of theirs. */
  | { readonly kind: "terminal"; readonly who: string }
  /** They set it, or it is for them. */
  | { readonly kind: "reminder"; readonly id: string }
  /** Nobody's yet, or theirs, or a child's. */
  | { readonly kind: "name"; readonly name: string }
  /** What is addressed to nobody else. */
  | { readonly kind: "pattern"; readonly pattern: string }
  /** What a hook tells of their program, or of none that is known. */
  | { readonly kind: "report"; readonly report: Report };

/** As a hook told it; only the office can say of whom. */
export interface Report {
  readonly eventName: string;
  readonly program?: string;
  readonly to?: string;
  readonly emittedAt: Instant;
  readonly payload: Json;
  readonly environment: Readonly<Record<string, string>>;
}

export interface Need {
  readonly right: Right;
  /** What they may not do without it, where the right is about more than that. */
  readonly what?: string;
  readonly unlessOwn?: Thing;
}

const NOTHING: readonly Need[] = [];

interface Said {
  readonly raw?: boolean;
  readonly keys?: readonly string[];
  readonly priority?: string;
  readonly re?: string;
}

function said({ raw, keys, priority, re }: Said): readonly Need[] {
  return [
    { right: "send" },
    ...(raw === true || keys !== undefined ? [{ right: "raw" } as const] : []),
    ...urgency(priority),
    ...(re === undefined ? [] : mail({ kind: "message", id: re })),
  ];
}

function urgency(priority: string | undefined): readonly Need[] {
  return priority !== undefined && parsePriority(priority) === "interrupt" ? [{ right: "urgent" }] : [];
}

interface QueueChange {
  readonly id: string;
  readonly change: string;
  readonly priority?: string;
}

function mail(thing?: Thing): readonly Need[] {
  return [{ right: "mail-of-others", ...(thing === undefined ? {} : { unlessOwn: thing }) }];
}

function queue(thing?: Thing): readonly Need[] {
  return [{ right: "queue-of-others", ...(thing === undefined ? {} : { unlessOwn: thing }) }];
}

/** Without a word for whom: of everybody. */
function mailboxIn(who: string | undefined): Thing | undefined {
  return who === undefined ? undefined : { kind: "mailbox", who };
}

const message = ({ id }: { readonly id: string }) => mail({ kind: "message", id });
const mailOf = ({ agent }: { readonly agent: string }) => mail({ kind: "agent", name: agent });
const mailboxOf = ({ who }: { readonly who?: string }) => mail(mailboxIn(who));

function started({ name }: { readonly name?: string }): readonly Need[] {
  return [
    { right: "spawn" },
    ...(name === undefined ? [] : [{ right: "name", unlessOwn: { kind: "name", name } } as const]),
  ];
}

/** Verbs as they cross a door. The office holds this table against them: none may be missing. */
export const NEEDS = {
  send: said,
  reply: ({ id, ...rest }: Said & { readonly id: string }) => said({ ...rest, re: id }),
  route: said,
  wait: message,
  answer: message,
  verdict: message,
  show: message,
  explain: message,
  read: message,
  receive: mailOf,
  mailbox_history: mailOf,
  listen: mailOf,
  ack: ({ id, agent }: { readonly id: string; readonly agent?: string }) => [
    ...message({ id }),
    ...(agent === undefined ? [] : mailOf({ agent })),
  ],
  inbox: ({ who }: { readonly who?: string }) => (who === undefined ? NOTHING : mailboxOf({ who })),
  history: mailboxOf,
  reminders: mailboxOf,
  export: ({ who, unmatched }: { readonly who?: string; readonly unmatched?: boolean }) =>
    unmatched === true ? mail() : mailboxOf(who === undefined ? {} : { who }),
  unmatched: () => mail(),
  unmatched_clear: () => [{ right: "admin" }],
  unmatched_reroute: () => [{ right: "admin" }],
  sub_add: ({ agent, pattern }: { readonly agent: string; readonly pattern: string }) => [
    { right: "subscribe" },
    ...queue({ kind: "agent", name: agent }),
    ...mail({ kind: "pattern", pattern }),
  ],
  sub_remove: ({ agent }: { readonly agent: string }) => [
    { right: "subscribe" },
    ...queue({ kind: "agent", name: agent }),
  ],
  sub_list: ({ agent }: { readonly agent: string }) => queue({ kind: "agent", name: agent }),
  remind: () => [{ right: "remind" }],
  reminder_cancel: ({ id }: { readonly id: string }) => queue({ kind: "reminder", id }),
  // Looking at a screen is how a sender sees what became of a message: the reminder after a delivery says so itself.
  peek: () => NOTHING,
  // What a person said to an agent is theirs and its own.
  transcript: ({ who }: { readonly who: string }) => mail({ kind: "terminal", who }),
  // A state tells the draft that stands there, word for word.
  session: ({ who }: { readonly who: string }) => queue({ kind: "terminal", who }),
  // Everybody at once is what `ls` shows.
  follow: ({ who }: { readonly who?: string }) =>
    who === undefined ? NOTHING : queue({ kind: "terminal", who }),
  queue: ({ who }: { readonly who?: string }) => queue(mailboxIn(who)),
  // Taking back what one sent, or sending it otherwise, is one's own affair; everything else belongs to whoever's queue
  // it waits in.
  queue_change: ({ id, change, priority }: QueueChange) => [
    ...queue({ kind: change === "cancel" || change === "priority" ? "sent" : "delivery", id }),
    ...urgency(priority),
  ],
  queue_clear: ({ who }: { readonly who: string }) => queue({ kind: "mailbox", who }),
  pause: ({ who }: { readonly who: string }) => queue({ kind: "mailbox", who }),
  // Even in one's own terminal: it is the person's text.
  draft_show: () => queue(),
  draft_restore: () => queue(),
  run: started,
  spawn: started,
  // It gives a keyboard.
  attach: () => [{ right: "raw" }],
  session_stop: ({ who }: { readonly who: string }) => [
    { right: "stop", unlessOwn: { kind: "terminal", who } },
  ],
  restart: ({ who }: { readonly who: string }) => [{ right: "stop", unlessOwn: { kind: "terminal", who } }],
  name: ({ who, name }: { readonly who?: string; readonly name: string }) => [
    { right: "name", unlessOwn: { kind: "name", name } },
    ...(who === undefined || who === ""
      ? []
      : [{ right: "name", unlessOwn: { kind: "mailbox", who } } as const]),
  ],
  agent_add: () => [{ right: "name" }],
  agent_remove: () => [{ right: "name" }],
  session_add: ({ agent }: { readonly agent: string }) => [
    { right: "name", unlessOwn: { kind: "agent", name: agent } },
  ],
  hook_event: (report: Report) => [
    { right: "admin", what: "report what another's program does", unlessOwn: { kind: "report", report } },
  ],
  stop: () => [{ right: "admin" }],
  // It greets whom it watches. What it tells of them, `ls` and `peek` show to everybody.
  watch: () => [{ right: "send" }],
  unwatch: () => NOTHING,
  watches: () => NOTHING,
  // It tells of mail that is another's.
  attention: () => mail(),
  ls: () => NOTHING,
  agent_list: () => NOTHING,
  agent_show: () => NOTHING,
  diagnose: () => NOTHING,
  status: () => NOTHING,
} as const satisfies Readonly<Record<string, (request: never) => readonly Need[]>>;
