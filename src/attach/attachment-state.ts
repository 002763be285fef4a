/**
 * The state of an attached person's view, and how keys and events change it. Pure.
 *
 *   bar ──prefix p──▶ asking ──granted──▶ passthrough ──prefix p, program ended──▶ bar
 *    │                   └────refused, no answer──▶ bar
 *    ├──prefix [──▶ scrollback ──q──▶ back      (from passthrough as well: the keyboard stays theirs)
 *    └──prefix ?──▶ help ──any key──▶ back
 */
import type { Priority } from "../core/message.ts";
import type { HostState, ViewerHears, ViewerSays } from "../wire/host/host.ts";
import type { Scroll } from "./drawing/replica.ts";
import type { Daemon, Note } from "./drawing/status-row.ts";
import { type Bar, EMPTY_BAR } from "./keys/bar.ts";
import type { Key } from "./keys/keys.ts";

export type Mode =
  | { readonly at: "bar" }
  | { readonly at: "asking" }
  | { readonly at: "passthrough" }
  | { readonly at: "scrollback"; readonly back: "bar" | "passthrough" }
  | { readonly at: "help"; readonly back: "bar" | "passthrough" };

/** A message on its way through the daemon. */
export interface Letter {
  readonly text: string;
  readonly priority: Priority;
  /** The same for every attempt, so that the message is stored once. */
  readonly key: string;
}

/** With either of these, text typed straight in may do more than the person intends. */
export type Obstacle = "draft" | "dialog";

export interface Attachment {
  readonly may: "type" | "watch";
  readonly mode: Mode;
  /** `command`: the prefix was pressed, so the next key is a command. */
  readonly awaiting: "command" | "nothing";
  readonly bar: Bar;
  /** Shown in place of the empty bar: what became of the last text. */
  readonly hint: string;
  /** When the hint expires; unset if it stays until the next key. */
  readonly hintUntil?: number | undefined;
  /** What the person was warned of; the next Enter types anyway. */
  readonly warned: Obstacle | "nothing";
  readonly host: HostState;
  readonly viewer: number;
  readonly daemon: Daemon;
  readonly underWay: Letter | null;
  /** The message that the hint is about. Until `until`, the daemon's view may be older than the message. */
  readonly queued: { readonly shortId: string; readonly until: number } | null;
  /** Refused or lost. If sent again unchanged, it keeps its key. */
  readonly unsent: Letter | null;
  readonly note: (Note & { readonly until: number }) | null;
}

export type Event =
  | { readonly kind: "key"; readonly key: Key }
  | { readonly kind: "raw"; readonly bytes: Buffer }
  | { readonly kind: "prefix" }
  | { readonly kind: "told"; readonly told: ViewerHears }
  | { readonly kind: "daemon"; readonly daemon: Daemon }
  | { readonly kind: "queued"; readonly words: string; readonly shortId: string }
  | { readonly kind: "unsent"; readonly words: string }
  /** A paste too long for the bar; none of it was accepted. */
  | { readonly kind: "overlong" }
  /** The host did not answer our request for the keyboard. */
  | { readonly kind: "unanswered" }
  | { readonly kind: "late" };

export type Action =
  | { readonly kind: "keys"; readonly bytes: Buffer }
  | { readonly kind: "say"; readonly message: ViewerSays }
  | { readonly kind: "send"; readonly letter: Letter }
  | { readonly kind: "scroll"; readonly how: Scroll }
  | { readonly kind: "detach" };

export interface Surroundings {
  readonly now: number;
  readonly prefix: number;
  /** The prefix key's name for people. */
  readonly prefixName: string;
  newKey(): string;
}

export type Step = readonly [Attachment, readonly Action[]];

export const NOTE_MS = { announcement: 5_000, good: 5_000, bad: 15_000 } as const;
export const HINT_MS = 5_000;
/** How far the daemon's view of the queue may lag behind. */
export const SHOWN_LATE_MS = 2_000;

export function firstAttachment(may: Attachment["may"], host: HostState): Attachment {
  return {
    may,
    mode: { at: "bar" },
    awaiting: "nothing",
    bar: EMPTY_BAR,
    hint: "",
    warned: "nothing",
    host,
    viewer: 0,
    daemon: { at: "asked" },
    underWay: null,
    queued: null,
    unsent: null,
    note: null,
  };
}

export function noted(at: Attachment, tone: Note["tone"], text: string, around: Surroundings): Step {
  return [{ ...at, note: { text, tone, until: around.now + NOTE_MS[tone] } }, []];
}

export function warned(
  at: Attachment,
  warnsOf: NonNullable<Note["warnsOf"]>,
  text: string,
  around: Surroundings,
): Step {
  return [{ ...at, note: { text, tone: "bad", warnsOf, until: around.now + NOTE_MS.bad } }, []];
}

/** The reason for the warning is gone. */
export function unwarned(at: Attachment, warnsOf: NonNullable<Note["warnsOf"]>): Attachment {
  return at.note?.warnsOf === warnsOf ? { ...at, note: null } : at;
}

export function taken({ host }: Attachment): string {
  return `Viewer ${host.passthrough} has the keyboard; wait until they give it back.`;
}

export function tooMuch(at: Attachment, around: Surroundings): Step {
  return noted(at, "bad", "Too long for the bar, left out: use bellhop send --file.", around);
}

/** An unreadable screen is no reason to warn: a shell or an editor would ask at every line. */
export function obstacleOf({ daemon }: Attachment): Obstacle | "nothing" {
  const composer = daemon.at === "there" ? daemon.session.composer : undefined;
  return composer === "draft" || composer === "dialog" ? composer : "nothing";
}
