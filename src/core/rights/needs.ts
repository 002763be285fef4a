/**
 * What a request may need of whoever makes it; which verb needs what is in `wire/verbs`. A need falls away where the
 * thing it is about is the speaker's own. Pure; `office/verbs/permissions.ts` knows what is whose.
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

/** Without a word for whom: of everybody. */
export function mailboxOf(who: string | undefined): Thing | undefined {
  return who === undefined ? undefined : { kind: "mailbox", who };
}

export const ofMessage = ({ id }: { readonly id: string }) => mail({ kind: "message", id });
export const ofMailbox = ({ who }: { readonly who?: string }) => mail(mailboxOf(who));
export const mailOf = ({ agent }: { readonly agent: string }) => mail({ kind: "agent", name: agent });
export const queueOf = ({ agent }: { readonly agent: string }) => queue({ kind: "agent", name: agent });
