/** Opens one listener: finds the mailbox, then hears or consumes. The doors open and close it. */
import { BellhopError } from "../../core/errors.ts";
import type { AgentName } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { ListenRequest } from "../../wire/verbs/broker.ts";
import type { Push, Streams } from "../../wire/verbs/streams.ts";
import { type Listeners, MOST_LISTENERS } from "./listeners.ts";
import type { Mailboxes } from "./mailboxes.ts";

export async function listen(
  parts: {
    readonly mailboxes: Mailboxes;
    readonly listeners: Listeners;
  },
  request: ListenRequest,
  push: Push,
): ReturnType<Streams["listen"]> {
  const { mailboxes, listeners } = parts;
  const { address, owner: agent, since: agentSince } = mailboxes.heard(request);
  if (agentSince === undefined || (request.agentSince ?? agentSince) !== agentSince) throw another(agent);
  if (listeners.count >= MOST_LISTENERS) {
    throw new BellhopError("listener.too_many", {
      message: `${MOST_LISTENERS} listeners are already open.`,
      next: "Close some and try again.",
    });
  }
  const heard = request.consume === true ? listeners.consume(address, push) : listeners.hear(address, push);
  return {
    agent,
    agentSince,
    ...present({ session: request.session }),
    ...heard,
  };
}

/** A listener to the previous agent of this name would silently take another agent's messages. */
function another(agent: AgentName): BellhopError {
  return new BellhopError("agent.unknown", {
    message: `The agent that was listened to is no longer called "${agent}": another agent has this name now.`,
    next: `Find its new name with "bellhop agent list", and listen to that.`,
  });
}
