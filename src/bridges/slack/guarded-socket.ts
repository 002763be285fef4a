/**
 * Slack's client for the socket trusts every message: one that is no event of Slack's would end the whole process by
 * an unhandled rejection, or be taken for one of the client's own signals.
 */
import type { SocketModeClient } from "@slack/socket-mode";
import { isFields, own, textIn } from "../fields.ts";

export interface SocketNews {
  /** How many connections this app has: each gets a part of the events. */
  hello(connections: number): void;
  /** Slack is about to end the connection: `warning`, `refresh_requested` or `link_disabled`. */
  goodbye(reason: string): void;
  unreadable(): void;
}

const ENVELOPES: ReadonlySet<string> = new Set(["events_api", "interactive", "slash_commands"]);
/** What the client tells itself by events with these names. */
const OWN_SIGNALS =
  /^(?:error|close|ws_message|slack_event|outgoing_message|connected|connecting|reconnecting|disconnecting|disconnected|authenticated)$/;
const ENVELOPE_ID = /^[\w-]{1,100}$/;

export function guardSocket(client: SocketModeClient, news: SocketNews): void {
  const trusting = client.listeners("ws_message");
  client.removeAllListeners("ws_message");
  client.on("ws_message", (data: unknown, isBinary: unknown) => {
    if (isBinary === true || typeof data !== "string") return;
    const isPassed = look(data, news);
    if (isPassed) for (const listener of trusting) listener(data, false);
    else news.unreadable();
  });
}

function look(data: string, news: SocketNews): boolean {
  let message: unknown;
  try {
    message = JSON.parse(data);
  } catch {
    return false;
  }
  const type = textIn(message, "type");
  if (type === "hello") {
    const connections = own(message, "num_connections");
    news.hello(typeof connections === "number" ? connections : 1);
    return true;
  }
  if (type === "disconnect") {
    news.goodbye(textIn(message, "reason", 100) ?? "");
    return true;
  }
  const id = own(message, "envelope_id");
  if (type === undefined || !ENVELOPES.has(type) || typeof id !== "string" || !ENVELOPE_ID.test(id))
    return false;
  const payload = own(message, "payload");
  if (!isFields(payload)) return false;
  const event = textIn(own(payload, "event"), "type");
  return type !== "events_api" || (event !== undefined && !OWN_SIGNALS.test(event));
}
