/** A watch: someone wants to hear when a session's turn ends, when it waits for its person, when it is gone. Pure. */
import type { Address, Instant, SessionId } from "./message.ts";
import { sanitiseLine } from "./text/sanitise.ts";

export const WATCH_EVENTS = ["turn-end", "blocked", "exit"] as const;
export type WatchEvent = (typeof WATCH_EVENTS)[number];

export interface Watch {
  readonly id: string;
  readonly watcher: Address;
  /** Notices go to this session; the watch ends with it. */
  readonly watcherSession?: SessionId;
  readonly watched: SessionId;
  readonly on: readonly WatchEvent[];
  /** Ends with the first event. */
  readonly once: boolean;
  readonly createdAt: Instant;
  /** Turns that ended by then were told, or were before the watch. */
  readonly turnsUntil: Instant;
  /** The question that was told, while it is still open. */
  readonly toldQuestion?: string;
}

/** Commands of the messages that Bellhop sends for a watch. */
export const WATCH_WORDS = { greeting: "watch-greeting", notice: "watch-notice" } as const;

export function isWatchWord(command: string | undefined): boolean {
  return command === WATCH_WORDS.greeting || command === WATCH_WORDS.notice;
}

const LONGEST_HEADLINE = 80;

/** Read once by the watched session. Without a headline only the id, not empty quotes. */
export function watchGreeting(
  watcher:
    | { readonly kind: "session"; readonly id: SessionId; readonly headline: string }
    | { readonly kind: "agent"; readonly name: string },
): string {
  if (watcher.kind === "agent") return `— agent "${watcher.name}" watches this session.`;
  const { id } = watcher;
  const headline = sanitiseLine(watcher.headline, LONGEST_HEADLINE).replaceAll('"', "'");
  return headline === "" || headline === id
    ? `— session ${id} watches this session.`
    : `— session "${headline}" (${id}) watches this session.`;
}

/** What went into a turn. */
export interface TurnFacts {
  /** Commands of the messages from Bellhop that went in; `undefined` for all others. */
  readonly messages: readonly (string | undefined)[];
  /** Submitted prompts that contain none of our messages. */
  readonly otherPrompts: number;
}

/** A turn that only answers a watch's own messages is not told: two sessions watching each other would never stop. */
export function isOnlyWatchWords({ messages, otherPrompts }: TurnFacts): boolean {
  return messages.length > 0 && messages.every(isWatchWord) && otherPrompts === 0;
}
