/** What an event is about: its topic, one line for people and agents, and the id by which it is known again. */
import { matching, own, textIn } from "../fields.ts";
import type { WebhookKind } from "./config.ts";
import { githubEvent } from "./github.ts";
import { gitlabEvent } from "./gitlab.ts";
import { type SignedRequest, standardHeader } from "./signatures.ts";
import { tell, title, topicOf, type WebhookEvent, word } from "./telling.ts";

const ID = /^[\x21-\x7e]{1,200}$/;

export function eventOf(kind: WebhookKind, request: SignedRequest, payload: unknown): WebhookEvent {
  switch (kind) {
    case "github":
      return githubEvent(request.header("x-github-event"), payload);
    case "gitlab":
      return { ...gitlabEvent(payload), ...idIn(request.header("idempotency-key")) };
    case "stripe":
      return stripeEvent(payload);
    case "slack":
      return slackEvent(payload);
    case "standard":
      return { ...plainEvent(payload), ...idIn(standardHeader(request, "id")) };
    case "token":
      return { ...plainEvent(payload), ...idIn(request.header("idempotency-key")) };
  }
}

function stripeEvent(payload: unknown): WebhookEvent {
  const type = word(payload, "type");
  const object = own(own(payload, "data"), "object");
  const text = tell({
    what: type ?? "an event of Stripe",
    title: word(object, "description"),
    where: word(object, "id"),
  });
  return { topic: topicOf(type), text, ...idIn(matching(payload, "id", /^evt_\w{1,100}$/)) };
}

function slackEvent(payload: unknown): WebhookEvent {
  const event = own(payload, "event");
  const command = word(payload, "command");
  if (command !== undefined) {
    const text = tell({ what: command, title: title(payload, "text"), who: word(payload, "user_id") });
    return { topic: topicOf(command.replace(/^\//, "")), text, ...idIn(word(payload, "trigger_id")) };
  }
  const type = word(event, "type") ?? word(payload, "type");
  const who = word(event, "user") ?? word(own(payload, "user"), "id");
  const text = tell({
    what: type ?? "an event of Slack",
    title: title(event, "text"),
    where: word(event, "channel"),
    who,
  });
  return { topic: topicOf(type), text, ...idIn(word(payload, "event_id") ?? word(payload, "trigger_id")) };
}

/** What a script sends is for people as it stands; a service says at least what kind of event it is. */
function plainEvent(payload: unknown): WebhookEvent {
  const type = word(payload, "topic") ?? word(payload, "type") ?? word(payload, "event");
  const said = textIn(payload, "text") ?? textIn(payload, "message") ?? textIn(payload, "title");
  const bare = typeof payload === "string" && payload !== "" ? payload.toWellFormed() : undefined;
  return { topic: topicOf(type), text: said ?? bare ?? type ?? "an event" };
}

function idIn(text: string | undefined): { readonly id?: string } {
  return text !== undefined && ID.test(text) ? { id: text } : {};
}
