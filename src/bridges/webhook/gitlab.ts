import { own } from "../fields.ts";
import { tell, title, topicOf, type WebhookEvent, word } from "./telling.ts";

export function gitlabEvent(payload: unknown): WebhookEvent {
  const kind = word(payload, "object_kind") ?? word(payload, "event_name");
  const attributes = own(payload, "object_attributes");
  const action = word(attributes, "action") ?? (kind === "pipeline" ? word(attributes, "status") : undefined);
  const what = [kind ?? "an event of GitLab", action].filter((one) => one !== undefined).join(" ");
  const project = word(own(payload, "project"), "path_with_namespace");
  const number = word(attributes, "iid");
  const mark = kind === "merge_request" ? "!" : "#";
  const where = number === undefined ? project : `${project ?? ""}${mark}${number}`;
  const who = word(own(payload, "user"), "username") ?? word(payload, "user_username");
  const about = title(attributes, "title") ?? word(attributes, "ref") ?? word(payload, "ref");
  return { topic: topicOf(kind, action), text: tell({ what, title: about, where, who }) };
}
