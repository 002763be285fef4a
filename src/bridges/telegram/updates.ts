/** What an update of the Bot API means. Nothing in it is trusted to have the shape that the documentation says. */
import type { Arrival } from "../../ports/bridge.ts";
import { contentOf, type Fields, isFields, own, textIn } from "./content.ts";

export type UpdateReading =
  | {
      readonly kind: "arrival";
      readonly updateId: number;
      readonly arrival: Arrival;
      readonly press?: ButtonPress;
    }
  /** Of no interest; the cursor moves over it. */
  | { readonly kind: "other"; readonly updateId: number; readonly what: string }
  /** It has not even a number. */
  | { readonly kind: "unreadable" };

export interface ButtonPress {
  readonly id: string;
  readonly chat: string;
  readonly messageId: number;
}

/** Whose topic it is, if it was made for an agent. */
export type TopicOwner = (chat: string, topic: string) => string | undefined;

const LONGEST_NAME = 200;
const LONGEST_CALLBACK_ID = 64;
const LONGEST_NONCE = 64;

export function readUpdate(value: unknown, ownerOf: TopicOwner): UpdateReading {
  const updateId = isFields(value) ? wholeIn(value, "update_id") : undefined;
  if (!isFields(value) || updateId === undefined || updateId <= 0) return { kind: "unreadable" };
  const message = own(value, "message");
  if (isFields(message)) return readMessage(updateId, message, ownerOf);
  const query = own(value, "callback_query");
  if (isFields(query)) return readPress(updateId, query, ownerOf);
  const what = Object.keys(value).find((name) => name !== "update_id") ?? "nothing";
  return { kind: "other", updateId, what: what.slice(0, LONGEST_NAME) };
}

function readMessage(updateId: number, message: Fields, ownerOf: TopicOwner): UpdateReading {
  const place = placeOf(message, ownerOf);
  const sender = senderOf(message);
  if (place === undefined || sender === undefined)
    return { kind: "other", updateId, what: "unreadable message" };
  const content = contentOf(message);
  if (content.kind === "unsaid") return { kind: "other", updateId, what: "message without words" };
  const answered = answeredIn(message, place.chat);
  const arrival: Arrival = {
    externalId: `${updateId}/${place.id}`,
    path: `telegram/${place.chat}`,
    ...sender,
    text: content.text,
    answerable: place.id,
    ...place.conversation,
    ...(answered === undefined ? {} : { answers: [answered] }),
  };
  return { kind: "arrival", updateId, arrival };
}

function readPress(updateId: number, query: Fields, ownerOf: TopicOwner): UpdateReading {
  const message = own(query, "message");
  const place = isFields(message) ? placeOf(message, ownerOf) : undefined;
  const sender = senderOf(query);
  const [id, nonce] = [textIn(query, "id"), textIn(query, "data")];
  if (!isFields(message) || place === undefined || sender === undefined)
    return { kind: "other", updateId, what: "unreadable press" };
  if (
    id === undefined ||
    id.length > LONGEST_CALLBACK_ID ||
    nonce === undefined ||
    nonce.length > LONGEST_NONCE
  )
    return { kind: "other", updateId, what: "unreadable press" };
  const arrival: Arrival = {
    externalId: `${updateId}/${place.id}/button`,
    path: `telegram/${place.chat}`,
    ...sender,
    text: labelOf(message, nonce),
    answerable: place.id,
    ...place.conversation,
    answers: [place.id],
    button: nonce,
  };
  return { kind: "arrival", updateId, arrival, press: { id, chat: place.chat, messageId: place.messageId } };
}

interface Place {
  readonly chat: string;
  readonly messageId: number;
  /** A message's number is unique only in its chat. */
  readonly id: string;
  readonly conversation: Pick<Arrival, "thread" | "topic">;
}

function placeOf(message: Fields, ownerOf: TopicOwner): Place | undefined {
  const chat = idIn(message, "chat");
  const messageId = wholeIn(message, "message_id");
  if (chat === undefined || messageId === undefined) return undefined;
  const id = `${chat}/${messageId}`;
  // Other groups number the threads of answers too: nothing can be sent to those.
  const thread =
    own(message, "is_topic_message") === true ? wholeIn(message, "message_thread_id") : undefined;
  if (thread === undefined) return { chat, messageId, id, conversation: {} };
  const owner = ownerOf(chat, String(thread));
  return {
    chat,
    messageId,
    id,
    conversation: { thread: String(thread), ...(owner === undefined ? {} : { topic: owner }) },
  };
}

/**
 * Who says it. One who writes in a group's or a channel's name is that group or channel: Telegram names the same
 * stand-in as the user of all of them.
 */
function senderOf(message: Fields): Pick<Arrival, "from" | "fromName"> | undefined {
  const from = idIn(message, "sender_chat") ?? idIn(message, "from");
  if (from === undefined) return undefined;
  const named = own(message, "sender_chat") ?? own(message, "from");
  const names = isFields(named)
    ? ["first_name", "last_name", "title"].map((name) => textIn(named, name))
    : [];
  const fromName = names
    .filter((name) => name !== undefined)
    .join(" ")
    .slice(0, LONGEST_NAME)
    .toWellFormed();
  return fromName === "" ? { from } : { from, fromName };
}

/** In a topic, what answers nothing is shown as an answer to the note that the topic was made. */
function answeredIn(message: Fields, chat: string): string | undefined {
  const answered = own(message, "reply_to_message");
  if (!isFields(answered) || own(answered, "forum_topic_created") !== undefined) return undefined;
  const id = wholeIn(answered, "message_id");
  return id === undefined ? undefined : `${idIn(answered, "chat") ?? chat}/${id}`;
}

function labelOf(message: Fields, nonce: string): string {
  const markup = own(message, "reply_markup");
  const rows = isFields(markup) ? own(markup, "inline_keyboard") : undefined;
  const buttons: unknown[] = Array.isArray(rows) ? rows.flat() : [];
  const pressed = buttons.filter(isFields).find((button) => own(button, "callback_data") === nonce);
  return (pressed === undefined ? undefined : textIn(pressed, "text")) ?? "(button)";
}

function idIn(fields: Fields, name: string): string | undefined {
  const value = own(fields, name);
  const id = isFields(value) ? wholeIn(value, "id") : undefined;
  return id === undefined ? undefined : String(id);
}

function wholeIn(fields: Fields, name: string): number | undefined {
  const value = own(fields, name);
  return typeof value === "number" && Number.isSafeInteger(value) && value !== 0 ? value : undefined;
}
