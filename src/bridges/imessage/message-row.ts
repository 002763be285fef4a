/** What a row of `message` says, and whether it is something that a person wrote. Pure. */
import type { Instant } from "../../core/message.ts";
import { textOfBody } from "./typedstream.ts";

/** In this order when one and the same row could be both, which it cannot. */
export const CURSORS = ["inbound", "self"] as const;
/** Received by this account, or sent from it. Each has its own cursor. */
export type Cursor = (typeof CURSORS)[number];

export interface MessageRow {
  readonly rowid: bigint;
  readonly guid: string;
  readonly cursor: Cursor;
  /** The person in whose chat it stands, as paths spell them. */
  readonly handle: string;
  readonly text: string | undefined;
  readonly body: Uint8Array | undefined;
  /** There is a text or a body, and it is too long to be read. */
  readonly isTooLong: boolean;
  /** Nanoseconds since the year 2001. */
  readonly date: bigint;
  readonly service: string;
  /** A reaction, a sticker on another message …; 0 for a message. */
  readonly association: number;
  /** An event of a chat, such as a new name; 0 for a message. */
  readonly itemType: number;
  readonly hasAttachments: boolean;
  /** The guid of the message that it answers. */
  readonly answers: string | undefined;
  readonly chat: bigint | undefined;
  /** Unknown until the row that joins it to its chat is written. */
  readonly isDirect: boolean | undefined;
}

export type Reading =
  | { readonly kind: "message"; readonly text: string }
  /** Not for us. */
  | { readonly kind: "skip" }
  /** For us, and cannot be read. */
  | { readonly kind: "unreadable"; readonly why: string }
  /** Not yet complete: Messages writes a message in several steps. */
  | { readonly kind: "incomplete"; readonly why: string };

const INTERNET_SERVICES: readonly string[] = ["iMessage", "iMessageLite"];
const FIRST_REACTION = 2_000;
const LAST_REACTION = 3_007;
/** Stands in the text where an attachment is shown. */
const ATTACHMENT = /\ufffc/gu;

/** In the year 2001. */
const APPLE_EPOCH_MS = 978_307_200_000;
/** Clocks differ. */
const SLACK_MS = 600_000;

export interface ReadOptions {
  readonly sms: boolean;
  /** What was written long before is history that this Mac got late, not news. */
  readonly since: Instant;
}

export function readRow(row: MessageRow, { sms, since }: ReadOptions): Reading {
  if (Number(row.date / 1_000_000n) + APPLE_EPOCH_MS < since - SLACK_MS) return { kind: "skip" };
  if (row.itemType !== 0) return { kind: "skip" };
  if (row.association >= FIRST_REACTION && row.association <= LAST_REACTION) return { kind: "skip" };
  if (!sms && !INTERNET_SERVICES.includes(row.service)) return { kind: "skip" };
  if (row.isDirect === false) return { kind: "skip" };
  if (row.isDirect === undefined) return { kind: "incomplete", why: "it belongs to no chat" };
  if (row.isTooLong) return { kind: "unreadable", why: "it is too long" };
  const written = textOf(row);
  if (written.kind !== "text") return written;
  const text = written.text.replace(ATTACHMENT, "");
  return text.trim() === "" ? { kind: "skip" } : { kind: "message", text };
}

type Written = { readonly kind: "text"; readonly text: string } | Exclude<Reading, { kind: "message" }>;

/** `text` is empty on recent versions of macOS; where it is not, it says the same as the body. */
function textOf({ text, body, hasAttachments }: MessageRow): Written {
  if (text !== undefined && text !== "") return { kind: "text", text };
  if (body !== undefined) return textOfBody(body);
  return hasAttachments ? { kind: "skip" } : { kind: "incomplete", why: "it has no text" };
}
