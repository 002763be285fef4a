/** What a message of Telegram says, in words. */

export type Fields = Readonly<Record<string, unknown>>;

export type Content =
  | { readonly kind: "said"; readonly text: string }
  /** A note of Telegram itself (somebody joined, a topic was made), or what this version does not know. */
  | { readonly kind: "unsaid" };

/** Telegram allows 4,096. */
export const LONGEST_TEXT = 65_536;
const LONGEST_DETAIL = 100;

/** What is no text, and the name that an agent and a person understand. */
const KINDS: readonly (readonly [field: string, name: string])[] = [
  // An animation has a document too.
  ["animation", "animation"],
  ["photo", "photo"],
  ["sticker", "sticker"],
  ["voice", "voice message"],
  ["video_note", "video message"],
  ["video", "video"],
  ["audio", "audio"],
  ["document", "file"],
  ["paid_media", "paid media"],
  // A venue has a location too.
  ["venue", "place"],
  ["location", "location"],
  ["contact", "contact"],
  ["poll", "poll"],
  ["dice", "dice"],
  ["story", "story"],
  ["checklist", "checklist"],
  ["game", "game"],
];

/**
 * A text as it is; of anything else its caption and what it was. The caption comes first, because a tag that names an
 * agent stands at the beginning, and in parentheses what it was, because a tag is in brackets.
 */
export function contentOf(message: Fields): Content {
  const text = textIn(message, "text");
  if (text !== undefined) return { kind: "said", text };
  const known = KINDS.find(([name]) => isFields(own(message, name)) || Array.isArray(own(message, name)));
  if (known === undefined) return { kind: "unsaid" };
  const [name, words] = known;
  const what = `(${[words, detailOf(own(message, name))].filter((word) => word !== "").join(" ")})`;
  const caption = textIn(message, "caption");
  return { kind: "said", text: caption === undefined ? what : `${caption}\n${what}` };
}

/** A file's name, or the emoji of a sticker. */
function detailOf(content: unknown): string {
  if (!isFields(content)) return "";
  const detail = own(content, "file_name") ?? own(content, "emoji");
  return typeof detail === "string" ? [...detail.toWellFormed()].slice(0, LONGEST_DETAIL).join("") : "";
}

/** A text that is not empty; half a surrogate pair in it is replaced. */
export function textIn(fields: Fields, name: string): string | undefined {
  const value = own(fields, name);
  if (typeof value !== "string" || value === "" || value.length > LONGEST_TEXT) return undefined;
  return value.toWellFormed();
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Never what every object inherits. */
export function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
