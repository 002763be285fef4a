/**
 * What a request may need from its speaker; `wire/verbs` has which verb needs what. A need does not apply if the thing
 * is the speaker's own. Pure; `office/verbs/permissions.ts` knows what belongs to whom.
 */
import type { Instant, Json } from "../message.ts";
import { present } from "../present.ts";
import { parsePriority } from "../priority.ts";
import type { Right } from "./rights.ts";

export type Thing =
  /** By any word for a recipient. */
  | { readonly kind: "mailbox"; readonly who: string }
  /** By the agent's own name. */
  | { readonly kind: "agent"; readonly name: string }
  /** Own: from or to the speaker. */
  | { readonly kind: "message"; readonly id: string }
  /** Own: in the speaker's mailbox. */
  | { readonly kind: "delivery"; readonly id: string }
  /** Own: in the speaker's mailbox, and held neither for the owner nor by the budget of its turns. */
  | { readonly kind: "release"; readonly id: string }
  /** Own: sent by the speaker, or in their mailbox. */
  | { readonly kind: "sent"; readonly id: string }
  /** Own: the terminal of the speaker or of one of its children. */
  | { readonly kind: "terminal"; readonly who: string }
  /** Own: set by the speaker, or for them. */
  | { readonly kind: "reminder"; readonly id: string }
  /** Own: unused, the speaker's, or a child's. */
  | { readonly kind: "name"; readonly name: string }
  /** Own: not addressed to anyone else. */
  | { readonly kind: "pattern"; readonly pattern: string }
  /** Own: a hook's report about the speaker's program, or about no known one. */
  | { readonly kind: "report"; readonly report: Report };

/** As the hook reported it; only the office knows which session it is about. */
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
  /** What they may not do without the right, if the right covers more than that. */
  readonly what?: string;
  readonly unlessOwn?: Thing;
  /** No right is enough: whoever may do this could then do everything else. */
  readonly only?: "owner";
}

export const NOTHING: readonly Need[] = [];

interface Words {
  readonly raw?: boolean;
  readonly keys?: readonly string[];
  readonly priority?: string;
  readonly re?: string;
}

export function toSay({ raw, keys, priority, re }: Words): readonly Need[] {
  return [
    { right: "send" },
    ...(raw === true || keys !== undefined ? [{ right: "raw" } as const] : []),
    ...toHurry(priority),
    ...(re === undefined ? [] : ofMessage({ id: re })),
  ];
}

export function toHurry(priority: string | undefined): readonly Need[] {
  return priority !== undefined && parsePriority(priority) === "interrupt" ? [{ right: "urgent" }] : [];
}

export function mail(thing?: Thing): readonly Need[] {
  return [{ right: "mail-of-others", ...present({ unlessOwn: thing }) }];
}

export function queue(thing?: Thing): readonly Need[] {
  return [{ right: "queue-of-others", ...present({ unlessOwn: thing }) }];
}

/** Without `who`: all mailboxes. */
export function mailboxOf(who: string | undefined): Thing | undefined {
  return who === undefined ? undefined : { kind: "mailbox", who };
}

export const ofMessage = ({ id }: { readonly id: string }) => mail({ kind: "message", id });
export const ofMailbox = ({ who }: { readonly who?: string }) => mail(mailboxOf(who));
export const mailOf = ({ agent }: { readonly agent: string }) => mail({ kind: "agent", name: agent });
export const queueOf = ({ agent }: { readonly agent: string }) => queue({ kind: "agent", name: agent });
