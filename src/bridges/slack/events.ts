/** What an envelope of the socket means. Pure; names are looked up by others. */
import { type Fields, isFields, matching, own, textIn } from "../fields.ts";
import { type OwnName, readable } from "./markup.ts";

/** Who Bellhop is in the workspace. */
export interface Self extends OwnName {
  readonly botId?: string;
  readonly teamId: string;
}

export interface Envelope {
  /** `events_api`, `interactive`, `slash_commands` … */
  readonly type: string;
  readonly body: unknown;
}

export type EnvelopeReading =
  | { readonly kind: "message"; readonly message: SlackMessage }
  | { readonly kind: "press"; readonly press: SlackPress }
  | { readonly kind: "renamed"; readonly channel: string; readonly name: string }
  /** Of no interest, or unreadable: `what` is for the log. */
  | { readonly kind: "other"; readonly what: string };

interface Placed {
  readonly channel: string;
  readonly isDirect: boolean;
  readonly ts: string;
  /** The first message of the thread that it is in. */
  readonly threadTs?: string;
  readonly from: string;
  readonly fromName?: string;
  readonly text: string;
}

export type SlackMessage = Placed;

export interface SlackPress extends Placed {
  readonly nonce: string;
  readonly actionTs: string;
  /** The words above the buttons, in Slack's markup. */
  readonly shown: string;
}

export const CHANNEL_ID = /^[CDG][A-Z0-9]{1,40}$/;
export const USER_ID = /^[UW][A-Z0-9]{1,40}$/;
export const TIMESTAMP = /^\d{1,16}\.\d{1,10}$/;
const SENDER_ID = /^[UWB][A-Z0-9]{1,40}$/;
/** Slack cuts messages at 40,000 characters. */
const LONGEST_TEXT = 65_536;
const LONGEST_NAME = 200;
const LONGEST_NONCE = 64;
const MOST_FILES = 10;
/** Messages that say something; edits, deletions, joins and the like are others. */
const SAID: ReadonlySet<string> = new Set([
  "",
  "file_share",
  "thread_broadcast",
  "me_message",
  "bot_message",
]);

export function readEnvelope({ type, body }: Envelope, self: Self): EnvelopeReading {
  if (type === "events_api") return readEvent(body, self);
  if (type === "interactive") return readInteraction(body);
  return { kind: "other", what: type.slice(0, LONGEST_NAME) };
}

function readEvent(body: unknown, self: Self): EnvelopeReading {
  const event = own(body, "event");
  const type = textIn(event, "type", LONGEST_NAME);
  switch (type) {
    case "message":
    case "app_mention":
      return readMessage(body, event, self);
    case "channel_rename":
    case "group_rename": {
      const channel = matching(own(event, "channel"), "id", CHANNEL_ID);
      const name = textIn(own(event, "channel"), "name", LONGEST_NAME);
      if (channel !== undefined && name !== undefined) return { kind: "renamed", channel, name };
      return { kind: "other", what: "unreadable rename" };
    }
    default:
      return { kind: "other", what: type ?? "unreadable event" };
  }
}

function readMessage(body: unknown, event: unknown, self: Self): EnvelopeReading {
  if (!isFields(event)) return { kind: "other", what: "unreadable message" };
  const subtype = own(event, "subtype") ?? "";
  if (typeof subtype !== "string" || !SAID.has(subtype) || own(event, "hidden") === true)
    return { kind: "other", what: `message ${String(subtype).slice(0, LONGEST_NAME)}` };
  if (isOwn(body, event, self)) return { kind: "other", what: "own message" };
  const channel = matching(event, "channel", CHANNEL_ID);
  const ts = matching(event, "ts", TIMESTAMP);
  // An app that posts for somebody names them too, but it is not they who speak.
  const from = matching(event, own(event, "bot_id") === undefined ? "user" : "bot_id", SENDER_ID);
  if (channel === undefined || ts === undefined || from === undefined)
    return { kind: "other", what: "unreadable message" };
  const text = wordsOf(event, self);
  if (text === "") return { kind: "other", what: "message without words" };
  const isDirect = channel.startsWith("D") || own(event, "channel_type") === "im";
  return {
    kind: "message",
    message: { channel, isDirect, ts, from, text, ...threadOf(event, ts), ...nameIn(event) },
  };
}

/** What Bellhop said itself comes back as an event of the channel. */
function isOwn(body: unknown, event: Fields, { userId, botId }: Self): boolean {
  const app = own(event, "app_id");
  return (
    own(event, "user") === userId ||
    (botId !== undefined && own(event, "bot_id") === botId) ||
    (typeof app === "string" && own(event, "bot_id") !== undefined && app === own(body, "api_app_id"))
  );
}

function wordsOf(event: Fields, self: Self): string {
  const said = readable(textIn(event, "text", LONGEST_TEXT) ?? "", self);
  const files = own(event, "files");
  const names = (Array.isArray(files) ? files.slice(0, MOST_FILES) : []).map((file: unknown) => {
    const name = textIn(file, "name", LONGEST_NAME);
    return name === undefined ? "(file)" : `(file ${name})`;
  });
  return [said, ...names].filter((line) => line !== "").join("\n");
}

function threadOf(event: unknown, ts: string): { readonly threadTs?: string } {
  const threadTs = matching(event, "thread_ts", TIMESTAMP);
  return threadTs === undefined || threadTs === ts ? {} : { threadTs };
}

function nameIn(event: unknown): { readonly fromName?: string } {
  const profile = own(event, "user_profile");
  const fromName =
    textIn(profile, "display_name", LONGEST_NAME) ??
    textIn(profile, "real_name", LONGEST_NAME) ??
    textIn(event, "username", LONGEST_NAME);
  return fromName === undefined ? {} : { fromName };
}

function readInteraction(body: unknown): EnvelopeReading {
  const type = textIn(body, "type", LONGEST_NAME);
  if (type !== "block_actions") return { kind: "other", what: type ?? "unreadable interaction" };
  const actions = own(body, "actions");
  const action: unknown = Array.isArray(actions) ? actions[0] : undefined;
  const container = own(body, "container");
  const channel =
    matching(own(body, "channel"), "id", CHANNEL_ID) ?? matching(container, "channel_id", CHANNEL_ID);
  const ts = matching(container, "message_ts", TIMESTAMP) ?? matching(own(body, "message"), "ts", TIMESTAMP);
  const from = matching(own(body, "user"), "id", USER_ID);
  const actionTs = matching(action, "action_ts", TIMESTAMP);
  const nonce = textIn(action, "value");
  if (channel === undefined || ts === undefined || from === undefined || actionTs === undefined)
    return { kind: "other", what: "unreadable press" };
  if (nonce === undefined || Buffer.byteLength(nonce) > LONGEST_NONCE)
    return { kind: "other", what: "unreadable press" };
  const message = own(body, "message");
  const fromName = textIn(own(body, "user"), "name", LONGEST_NAME);
  const press: SlackPress = {
    channel,
    isDirect: channel.startsWith("D"),
    ts,
    from,
    text: textIn(own(action, "text"), "text", LONGEST_NAME) ?? "(button)",
    nonce,
    actionTs,
    shown: textIn(message, "text", LONGEST_TEXT) ?? "",
    ...threadOf(message, ts),
    ...(fromName === undefined ? {} : { fromName }),
  };
  return { kind: "press", press };
}
