/** One line about an event, from fields that may be missing or odd. */
import { sanitiseLine } from "../../core/text/sanitise.ts";
import { isFields, own, textIn } from "../fields.ts";

export interface WebhookEvent {
  readonly topic: string;
  readonly text: string;
  /** The service's own id of it, if nobody else can choose it. */
  readonly id?: string;
}

/** What a line about something has, if it is known. */
export interface Telling {
  readonly what: string;
  readonly title?: string | undefined;
  readonly where?: string | undefined;
  readonly who?: string | undefined;
}

const LONGEST_WORD = 120;
const LONGEST_TITLE = 200;
const NO_TOPIC = "event";

/** `issues opened: The title (acme/shop#12) by ada` */
export function tell({ what, title: named, where, who }: Telling): string {
  const about = named === undefined ? what : `${what}: ${named}`;
  const placed = where === undefined ? about : `${about} (${where})`;
  return who === undefined ? placed : `${placed} by ${who}`;
}

/** One segment of a path. */
export function topicOf(...words: readonly (string | undefined)[]): string {
  const joined = words
    .filter((one) => one !== undefined)
    .join(".")
    .replace(/[^\p{L}\p{N}._:-]+/gu, "-")
    .replace(/^[^\p{L}\p{N}]+/u, "");
  return [...joined].slice(0, LONGEST_WORD).join("") || NO_TOPIC;
}

/** A text of one line, or a whole number. */
export function word(value: unknown, name: string): string | undefined {
  const found = own(value, name);
  if (Number.isSafeInteger(found)) return String(found);
  return line(textIn(value, name), LONGEST_WORD);
}

/** The first line of a text. */
export function title(value: unknown, name: string): string | undefined {
  return line(textIn(value, name)?.trim().split("\n", 1)[0], LONGEST_TITLE);
}

/** The first of these fields that is an object. */
export function part(value: unknown, ...names: readonly string[]): unknown {
  return names.map((name) => own(value, name)).find(isFields);
}

function line(text: string | undefined, longest: number): string | undefined {
  const shown = text === undefined ? "" : sanitiseLine(text.slice(0, 4 * longest), longest).trim();
  return shown === "" ? undefined : shown;
}
