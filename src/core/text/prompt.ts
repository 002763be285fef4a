/** What an agent reads: header, body, reply hint. Composed only here. */

import { assertNever, BellhopError } from "../errors.ts";
import { defuseHeaders } from "./defuse-headers.ts";
import {
  batchHeaderFor,
  batchTokenFor,
  headerFor,
  inlineTokenFor,
  itemHeaderFor,
  type Sender,
  tokenFor,
} from "./prompt-header.ts";
import { type Hinted, hintsFor } from "./reply-hint.ts";
import { sanitiseLine, sanitiseText } from "./sanitise.ts";
import { essence } from "./whole-prompt.ts";

export { findTokens, marksOf, mentions } from "./prompt-header.ts";
export type { Sender };

export interface PromptItem extends Hinted {
  readonly body: string;
  /** Absolute path of the body's file. */
  readonly file: string;
}

export interface PromptLimits {
  readonly maxCharacters: number;
  readonly maxNewlines: number;
  /** False if the program would keep our newline raw: then the hint follows on the same line. */
  readonly newlines: boolean;
  /** A character that the program acts on wherever it stands: a body that has it goes by reference. */
  readonly actsOn?: "@";
}

export interface PastePrompt {
  readonly text: string;
  /** What proves this prompt in a hook or a transcript. */
  readonly token: string;
  readonly byReference: boolean;
  /** What the batch's file must contain before this prompt is typed. */
  readonly fileText?: string;
}

export interface WholePrompt {
  readonly text: string;
  /** One per item, in the same order. */
  readonly tokens: readonly string[];
}

/** Longer bodies go by reference; counted in code points, after sanitising. */
export const LONGEST_PASTED_BODY = 300;
const ENOUGH_OF_A_LINE = 60;
const OUTSIDE_MARK = "📱 ";
const NOTICE_MARK = "[bellhop] ";

/** One prompt for keys: short, without control characters except the newlines that the limits allow. */
export function composeForPaste(
  items: readonly PromptItem[],
  limits: PromptLimits,
  batchFile?: string,
): PastePrompt {
  const [only, ...others] = items;
  if (only === undefined) throw bug("A prompt was asked for, but there is no message.");
  if (others.length === 0) return pasteOne(only, limits);
  const inline = inlineBatch(items, limits);
  if (inline !== undefined) return inline;
  if (batchFile === undefined) throw bug("A batch by paste needs a file.");
  return pasteBatch(items, limits, batchFile);
}

/** How many items, from the first on, fit into one prompt without a file; at least one. */
export function mostInline(items: readonly PromptItem[], limits: PromptLimits): number {
  let most = items.length;
  while (most > 1 && inlineBatch(items.slice(0, most), limits) === undefined) most -= 1;
  return most;
}

/** Everything as text, for native inboxes, hooks and batch files. */
export function composeWhole(items: readonly PromptItem[]): WholePrompt {
  const messages = items.map((item) => {
    const parts = [headerFor(item.sender, item.shortId), readableBody(item), hintsFor([item])[0]];
    return parts.filter((part) => part !== undefined && part !== "").join("\n");
  });
  return { text: messages.join("\n\n"), tokens: items.map(({ shortId }) => tokenFor(shortId)) };
}

/** For a turn without a terminal: its answer goes back by itself, so nothing says how to reply. */
export function composeForTurn(items: readonly PromptItem[]): string {
  return items.map((item) => `${headerFor(item.sender, item.shortId)}\n${readableBody(item)}`).join("\n\n");
}

/** Whether text shown from a file is this message: it has its header, as in a batch, or the beginning of its body. */
export function showsTextOf(text: string, { shortId, body }: Pick<PromptItem, "shortId" | "body">): boolean {
  if (text.includes(tokenFor(shortId))) return true;
  const first = withoutMark(sanitiseText(body))
    .split("\n")
    .map(essence)
    .find((line) => line !== "");
  return first !== undefined && essence(text).includes(first.slice(0, ENOUGH_OF_A_LINE));
}

/** A body as agents may see it, whichever way it goes: sanitised, and without imitations of our own text. */
export function readableBody({ body, sender }: Pick<PromptItem, "body" | "sender">): string {
  const clean = sanitiseText(body)
    .replace(/^(?:[^\S\n]*\n)+/, "")
    .trimEnd();
  switch (sender.kind) {
    case "agent":
    case "session":
      return defuseHeaders(clean);
    case "person":
    case "guest":
    case "program":
      return outsideMark(sender) + defuseHeaders(isNoticeElsewhere(sender) ? withoutMark(clean) : clean);
    case "bellhop":
      // Our own mark is genuine; what a notice quotes is someone else's text.
      return clean.startsWith(NOTICE_MARK)
        ? NOTICE_MARK + defuseHeaders(clean.slice(NOTICE_MARK.length))
        : defuseHeaders(clean);
    default:
      return assertNever(sender);
  }
}

/** Its header says whose notice it is; the mark of this Bellhop is not its own. */
function isNoticeElsewhere(sender: Sender): boolean {
  return sender.kind === "program" && sender.isBellhop === true;
}

function withoutMark(notice: string): string {
  return notice.startsWith(NOTICE_MARK) ? notice.slice(NOTICE_MARK.length) : notice;
}

function outsideMark(sender: Sender): string {
  const isOutside =
    (sender.kind === "guest" && sender.onHost !== true) ||
    ((sender.kind === "person" || sender.kind === "program") && sender.outside);
  return isOutside ? OUTSIDE_MARK : "";
}

function pasteOne(item: PromptItem, limits: PromptLimits): PastePrompt {
  const header = inert(headerFor(item.sender, item.shortId), limits);
  const token = tokenFor(item.shortId);
  // Other than one of our own, a notice from elsewhere has a hint after it, which needs its line.
  const isJoined = !limits.newlines || isNoticeElsewhere(item.sender);
  const body = isJoined ? bodyOnOneLine(item) : readableBody(item);
  // A notice has no hint after it, so it may use that line too.
  if (!needsReference(body, item.sender.kind === "bellhop" ? 3 : 2)) {
    const line = `${header} ${body.replaceAll("\t", "    ")}`.trimEnd();
    const text = hintings([item])
      .map((hinted) => join([line, inertHints(hinted, limits)[0]], limits))
      .find((candidate) => fits(candidate, limits));
    if (text !== undefined) return { text, token, byReference: false };
  }
  const reference = `${header} ${outsideMark(item.sender)}Read ${checkedPath(item.file)}`;
  const hinted = join([reference, inertHints([item], limits)[0]], limits);
  const text = [hinted, reference].find((candidate) => fits(candidate, limits));
  if (text === undefined) throw pathTooLong(item.file, limits);
  return { text, token, byReference: true };
}

/** The few lines of a notice can be joined into one. What they quote is checked in its joined form. */
function bodyOnOneLine({ body, sender }: PromptItem): string {
  const own =
    sender.kind === "bellhop" || isNoticeElsewhere(sender)
      ? sanitiseText(body).trim().replaceAll("\n", " ")
      : body;
  return readableBody({ body: own, sender });
}

/** Short messages inline, numbered, then one hint for each sender. Undefined if they do not fit or need a file. */
function inlineBatch(items: readonly PromptItem[], limits: PromptLimits): PastePrompt | undefined {
  const bodies = items.map(bodyOnOneLine);
  if (bodies.some((body) => needsFile(body))) return undefined;
  const messages = items.map(({ sender, shortId }, index) => {
    const body = (bodies[index] ?? "").replaceAll("\t", "    ");
    return `${inert(itemHeaderFor(sender, shortId, index + 1), limits)} ${body}`.trimEnd();
  });
  const line = `[${items.length} messages] ${messages.join(" ")}`;
  const text = hintings(items)
    .map((hinted) => inertHints(hinted, limits).join(" "))
    .map((hints) => join([line, hints === "" ? undefined : hints], limits))
    .find((candidate) => fits(candidate, limits));
  if (text === undefined) return undefined;
  return { text, token: inlineTokenFor(items.map(({ shortId }) => shortId)), byReference: false };
}

/** If there is no room to say that someone waits for the answer, the text itself is still sent. */
function hintings(items: readonly PromptItem[]): readonly (readonly PromptItem[])[] {
  return [items, items.map((item) => ({ ...item, isQuestion: false }))];
}

/** A `>` at its end would defuse our own number after it. */
function needsFile(body: string): boolean {
  return body.endsWith(">") || needsReference(body, 1);
}

function pasteBatch(items: readonly PromptItem[], limits: PromptLimits, batchFile: string): PastePrompt {
  const ending = ` Read ${checkedPath(batchFile)}`;
  const senders = items.map(({ sender }) => sender);
  const header = batchHeaderFor(senders, limits.maxCharacters - ending.length);
  const text = inert(header ?? "", limits) + ending;
  if (header === undefined || !fits(text, limits)) throw pathTooLong(batchFile, limits);
  return {
    text,
    token: batchTokenFor(batchFile),
    byReference: true,
    fileText: `${composeWhole(items).text}\n`,
  };
}

/** A trailing `\` turns Enter into a newline; an unfinished `@word` makes Enter complete it. */
function needsReference(body: string, mostLines: number): boolean {
  if ([...body].length > LONGEST_PASTED_BODY || body.split("\n").length > mostLines) return true;
  return body.endsWith("\\") || /(?:^|[^\p{L}\p{N}])@\S*$/u.test(body);
}

/** The name in a header may be an address. */
function inert(header: string, { actsOn }: PromptLimits): string {
  return actsOn === undefined ? header : header.replaceAll(actsOn, "\uff20");
}

/** A command stays as it must be run: a hint whose command holds the character finds no room. */
function inertHints(items: readonly PromptItem[], limits: PromptLimits): readonly string[] {
  return hintsFor(items).map((hint) => {
    const [origin = "", ...command] = hint.split(". To reply: ");
    return [inert(origin, limits), ...command].join(". To reply: ");
  });
}

function join(parts: readonly (string | undefined)[], limits: PromptLimits): string {
  return parts.filter((part) => part !== undefined).join(limits.newlines ? "\n" : " ");
}

/** In UTF-16 units: no program counts a text as longer than that. */
function fits(text: string, limits: PromptLimits): boolean {
  const newlines = text.split("\n").length - 1;
  if (limits.actsOn !== undefined && text.includes(limits.actsOn)) return false;
  return text.length <= limits.maxCharacters && newlines <= (limits.newlines ? limits.maxNewlines : 0);
}

function checkedPath(path: string): string {
  if (path.startsWith("/") && sanitiseLine(path) === path && path.trimEnd() === path) return path;
  throw new BellhopError("file.unsafe", {
    message: `The path ${JSON.stringify(sanitiseLine(path, 200))} cannot be shown to an agent.`,
    next: "Move BELLHOP_HOME to a folder whose path has no control or invisible characters.",
  });
}

function pathTooLong(path: string, limits: PromptLimits): BellhopError {
  return new BellhopError("home.path_too_long", {
    message: `The path ${path} does not fit into a prompt of ${limits.maxCharacters} characters.`,
    next: "Move BELLHOP_HOME to a folder with a shorter and plain path.",
  });
}

function bug(message: string): BellhopError {
  return new BellhopError("internal.bug", {
    message,
    next: `Report this with the output of "bellhop logs".`,
  });
}
