import { own } from "../fields.ts";
import { part, tell, title, topicOf, type WebhookEvent, word } from "./telling.ts";

/**
 * Neither the name of an event nor the id of a delivery is signed, only the body: so it has no id of its own, and the
 * body's digest knows it again.
 */
export function githubEvent(header: string | undefined, payload: unknown): WebhookEvent {
  const event = header !== undefined && /^[a-z_]{1,64}$/.test(header) ? header : undefined;
  const action = word(payload, "action");
  const what = [event ?? "an event of GitHub", action].filter((one) => one !== undefined).join(" ");
  const repository =
    word(own(payload, "repository"), "full_name") ?? word(own(payload, "organization"), "login");
  const who = word(own(payload, "sender"), "login") ?? word(own(payload, "pusher"), "name");
  const about = event === "push" ? push(payload) : subject(payload);
  const place = about.number === undefined ? repository : `${repository ?? ""}#${about.number}`;
  return { topic: topicOf(event, action), text: tell({ what, title: about.title, where: place, who }) };
}

interface Subject {
  readonly title?: string | undefined;
  readonly number?: string | undefined;
}

function subject(payload: unknown): Subject {
  const thing = part(payload, "issue", "pull_request", "discussion", "milestone");
  if (thing !== undefined) return { title: title(thing, "title"), number: word(thing, "number") };
  const run = part(payload, "workflow_run", "check_run", "check_suite", "workflow_job");
  if (run !== undefined) {
    const words = [
      title(run, "name"),
      word(run, "conclusion") ?? word(run, "status"),
      word(run, "head_branch"),
    ];
    return { title: words.filter((one) => one !== undefined).join(", ") || undefined };
  }
  const named = part(payload, "release", "label", "deployment", "package");
  return {
    title: title(named, "name") ?? word(named, "tag_name") ?? title(payload, "zen") ?? word(payload, "ref"),
  };
}

function push(payload: unknown): Subject {
  const commits = own(payload, "commits");
  const count = Array.isArray(commits) ? commits.length : 0;
  const branch = word(payload, "ref")?.replace(/^refs\/(?:heads|tags)\//, "");
  const last = title(own(payload, "head_commit"), "message");
  const told = `${count} ${count === 1 ? "commit" : "commits"} to ${branch ?? "a branch"}`;
  return { title: last === undefined ? told : `${told}, the last: ${last}` };
}
