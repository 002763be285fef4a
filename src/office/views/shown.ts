/** Facts in the form in which every door shows them. Pure: nothing is queried. */
import { assertNever } from "../../core/errors.ts";
import type { AgentName, Delivery, Message } from "../../core/message.ts";
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
  { interrupted }: { readonly interrupted: boolean },
): Omit<ShownDelivery, "receipts"> {
  return {
    ...sentDelivery(delivery),
    ...present({ transport: delivery.transport, evidence: delivery.evidence }),
    attempts: delivery.attempts,
    ...(delivery.possibleDuplicate ? { possibleDuplicate: true } : {}),
    queuedAt: delivery.queuedAt,
    ...present({ timeoutAt: delivery.timeoutAt }),
    ...(interrupted ? { interrupted: true } : {}),
  };
}

export function sentDelivery({ id, to, state, hold }: Delivery): SentDelivery {
  return { id, to, state, ...(hold === undefined || state !== "queued" ? {} : { hold }) };
}

export function queuedDelivery({ delivery, message }: Item): QueuedDelivery {
  return {
    ...sentDelivery(delivery),
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
