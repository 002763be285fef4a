/** Facts in the form in which every door shows them. Pure: nothing is queried. */
import { withoutHow } from "../../core/cluster/dialog-codes.ts";
import { recipientThere } from "../../core/cluster/hosts.ts";
import { assertNever } from "../../core/errors.ts";
import type { AgentName, Delivery, Hold, Message } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { Reading } from "../../core/readiness/reading.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { Item, KeptDraft } from "../../ports/store.ts";
import type { TerminalRef } from "../../ports/terminal.ts";
import type {
  QueuedDelivery,
  SentDelivery,
  ShownDelivery,
  ShownMessage,
} from "../../wire/shapes/messages.ts";
import type { ListedTerminal, ShownComposer, ShownDraft } from "../../wire/shapes/sessions.ts";

const PREVIEW = 60;

/** `file`: where its text is kept as a file. */
export function shownMessage(message: Message, file: string): ShownMessage {
  const { id, shortId, from, to, body, priority, command, payload, source, replyTo, bound, createdAt } =
    message;
  return {
    id,
    shortId,
    from,
    to,
    body,
    priority,
    ...present({ command, payload }),
    source,
    ...present({ channel: message.channel, externalId: message.externalId, replyTo, bound }),
    createdAt,
    file,
  };
}

export function shownDelivery(
  delivery: Delivery,
  message: Addressed,
  { interrupted }: { readonly interrupted: boolean },
): Omit<ShownDelivery, "receipts"> {
  return {
    ...sentDelivery(delivery, message),
    ...present({ transport: delivery.transport, evidence: delivery.evidence }),
    attempts: delivery.attempts,
    ...(delivery.possibleDuplicate ? { possibleDuplicate: true } : {}),
    queuedAt: delivery.queuedAt,
    ...present({ timeoutAt: delivery.timeoutAt }),
    ...(interrupted ? { interrupted: true } : {}),
  };
}

type Addressed = Pick<Message, "to">;

export function sentDelivery({ id, to, state, hold }: Delivery, message: Addressed): SentDelivery {
  const recipient = recipientThere(to, message.to);
  if (recipient === undefined)
    return { id, to, state, ...(hold === undefined || state !== "queued" ? {} : { hold }) };
  // What is on its way to another host waits too: its hold says where.
  const waits = state === "queued" || state === "delivering";
  return { id, to, recipient, state, ...(hold === undefined || !waits ? {} : { hold }) };
}

/** Anyone may list: how to answer a dialog is for whoever sent the message, and asks for it by its id. */
export function listedHold(hold: Hold | undefined): Hold | undefined {
  return hold === undefined ? undefined : { ...hold, release: withoutHow(hold.release) };
}

export function queuedDelivery({ delivery, message }: Item): QueuedDelivery {
  const { hold, ...sent } = sentDelivery(delivery, message);
  return {
    ...sent,
    ...present({ hold: listedHold(hold) }),
    messageId: message.id,
    shortId: message.shortId,
    from: message.from,
    priority: delivery.priority,
    queuedAt: delivery.queuedAt,
    ...present({ timeoutAt: delivery.timeoutAt }),
    ...(delivery.release === "by-rule" ? {} : { release: delivery.release }),
    preview: preview(message.body),
  };
}

/** Reads only the beginning: a queue of long texts is shown often. */
function preview(body: string): string {
  return [...sanitiseLine(body.slice(0, PREVIEW * 20))].slice(0, PREVIEW).join("");
}

export function shownComposer(reading: Reading): ShownComposer {
  switch (reading.kind) {
    case "composer":
      return reading.draft.kind === "text" ? "draft" : "empty";
    case "dialog":
    case "unknown":
      return reading.kind;
    default:
      return assertNever(reading);
  }
}

/** A hosted terminal is found by its session; a tmux terminal by its pane. */
export function shownTerminal({ kind, server, pane }: TerminalRef): ListedTerminal {
  return kind === "pty" ? { kind } : { kind, server, pane };
}

/** It is not in the composer again, and nobody has given it up. */
export function isStillKept({ state }: KeptDraft): boolean {
  return state !== "restored" && state !== "discarded";
}

export function shownDraft(
  { id, sessionId, text, exact, state, keptAt, note }: KeptDraft,
  agent: AgentName,
): ShownDraft {
  return { id, sessionId, agent, text, exact, state, keptAt, ...present({ note }) };
}
