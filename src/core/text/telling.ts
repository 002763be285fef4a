/** What the person is told in notifications: each thing once, several at the same time as one line. Pure. */

import type { Attention } from "../attention.ts";
import { hostOfSpeaker } from "../cluster/speakers.ts";
import { assertNever } from "../errors.ts";
import type { Message } from "../message.ts";
import { sanitiseLine } from "./sanitise.ts";

export const NOTIFY_WAYS = ["tmux", "bell", "desktop"] as const;
export type NotifyWay = (typeof NOTIFY_WAYS)[number];

export interface Thing {
  readonly id: string;
  readonly text: string;
  /** People who look at this session see it anyway. */
  readonly session?: string;
}

const LONGEST_THING = 160;
const MOST_NAMED = 3;

/**
 * Undefined for what needs no notification: the sender of a dead letter is told in the answer, and the person was told
 * outside that a turn ended.
 */
export function thingOf({ id, kind, agent, session, text }: Attention): Thing | undefined {
  const who = agent ?? "somebody";
  switch (kind) {
    case "permission":
      return { id, text: line(`${who} asks for a permission: ${text}`), ...at(session) };
    case "question":
      return { id, text: line(`${who} asks: ${text}`), ...at(session) };
    case "unconfirmed":
    case "budget":
      return { id, text: line(`${who}: ${text}`) };
    case "loop":
      return { id, text: line(`Stopped a loop: ${text}`) };
    case "turn-end":
    case "dead-letter":
      return undefined;
    default:
      return assertNever(kind);
  }
}

/** Commands of notices about things that are told separately. */
const TOLD_OTHERWISE: readonly string[] = ["loop-notice"];

export function thingOfMail(message: Message): Thing | undefined {
  const { id, command, from, body, replyTo } = message;
  const isNotice = message.source === "bellhop" && hostOfSpeaker(from) === undefined;
  if (isNotice && command !== undefined && TOLD_OTHERWISE.includes(command)) return undefined;
  // Bellhop's own notices begin with its name.
  const words = body
    .replace(/^\[bellhop\]\s*/u, "")
    .replace(/\s+/gu, " ")
    .trim();
  if (isNotice) return { id, text: line(words) };
  const who = from.replace(/^(?:agent|person|session)\//u, "");
  return { id, text: line(`${who} ${replyTo === undefined ? "writes" : "answers"}: ${words}`) };
}

/** The text to show; `things` is not empty. */
export function notificationOf(things: readonly Thing[]): string {
  const [first] = things;
  if (things.length <= 1) return `[bellhop] ${first?.text ?? ""}`;
  const shown = things.slice(0, MOST_NAMED).map(({ text }) => sanitiseLine(text, LONGEST_THING / MOST_NAMED));
  const more = things.length > shown.length ? ` · and ${things.length - shown.length} more` : "";
  return `[bellhop] ${things.length} things want you: ${shown.join(" · ")}${more}`;
}

function at(session: string | null): Pick<Thing, "session"> {
  return session === null ? {} : { session };
}

function line(text: string): string {
  const whole = sanitiseLine(text);
  const cut = sanitiseLine(whole, LONGEST_THING);
  return cut === whole ? whole : `${cut}…`;
}
