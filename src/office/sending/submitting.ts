/** From the request of any verb to accept: who sends it, in which form, with which wishes. */

import { isCode } from "../../core/desk/reply-text.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Address, Message, MessageForm, Priority } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { requirePriority } from "../../core/priority.ts";
import { isFromOutside } from "../../core/routing/route.ts";
import { isKeyName, MOST_KEYS } from "../../core/text/key-names.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { Writable } from "../../core/writable.ts";
import type { SendRequest } from "../../wire/verbs/messages.ts";
import type { Accept } from "../accept/accept.ts";
import type { AcceptOptions } from "../accept/incoming.ts";
import type { Accepted, Submission } from "../accept/submission.ts";
import { bodyOf, INSIDE } from "../broker/broker-shape.ts";
import type { SenderIdentity } from "../presence/directory.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { Queries } from "../views/queries.ts";
import { checkRequirement } from "./requirement.ts";

/** What every sending verb says of its message. */
type Words = Omit<SendRequest, "to">;

export interface SubmittingParts extends Ground {
  readonly accept: Accept;
  readonly queries: Queries;
}

export async function submit(
  parts: SubmittingParts,
  request: Words,
  to: Address,
  sender: SenderIdentity,
  explicit?: Message,
  options: AcceptOptions = {},
): Promise<Accepted> {
  const { context, directory, queries } = parts;
  const priority =
    request.priority === undefined ? context.settings().defaultPriority : requirePriority(request.priority);
  refuseForOutsiders(sender, request, priority);
  const recipient = directory.takerOfMailbox(to);
  checkRequirement(recipient, request.require, context.settings());
  const answers = explicit ?? (request.re === undefined ? undefined : queries.message(request.re));
  // Also for a text: who subscribes and sends at once is heard in that order, and subscribing looks first.
  const form = await (request.raw === true
    ? rawForm(request, recipient, parts.neighbours.elsewhere(to) !== undefined)
    : TEXT);
  // Awaited here: to return a promise takes three turns of the microtasks where this takes one.
  return await parts.accept.accept(submissionOf(request, { to, sender, priority, form, answers }), options);
}

const TEXT: MessageForm = { kind: "text" };

/** What is not said is absent: who reads it puts it over its own defaults. */
function submissionOf(request: Words, { to, sender, priority, form, answers }: Decided): Submission {
  const submission: Writable<Submission> = {
    to,
    sender,
    body: bodyOf(request.body, request.command, request.payload),
    form,
    priority,
  };
  if (request.priority !== undefined) submission.askedPriority = priority;
  if (request.command !== undefined) submission.command = request.command;
  if (request.payload !== undefined) submission.payload = request.payload;
  if (request.channel !== undefined && request.channel !== INSIDE) submission.channel = request.channel;
  if (request.externalId !== undefined) submission.externalId = request.externalId;
  if (answers !== undefined) submission.answers = answers;
  if (request.idempotencyKey !== undefined) submission.idempotencyKey = request.idempotencyKey;
  if (request.require !== undefined) submission.require = request.require;
  if (request.atMostOnce !== undefined) submission.atMostOnce = request.atMostOnce;
  if (request.anyWayIn !== undefined) submission.anyWayIn = request.anyWayIn;
  if (request.timeoutMs !== undefined) submission.timeoutMs = request.timeoutMs;
  const owes = owedBy(request);
  if (owes !== undefined) submission.owes = owes;
  return submission;
}

/** What a request does not say itself. */
interface Decided extends Pick<Submission, "to" | "sender" | "priority" | "form"> {
  readonly answers: Message | undefined;
}

/** A sender from outside may not interrupt a running turn or answer a dialog. */
function refuseForOutsiders({ source }: SenderIdentity, { raw }: Words, priority: Priority): void {
  if (!isFromOutside(source) || (raw !== true && priority !== "interrupt")) return;
  throw new BellhopError("request.forbidden", {
    message: `A message from outside may not be ${raw === true ? "raw" : "an interrupt"}.`,
    next: "Send it as text with another priority.",
  });
}

function owedBy({ notifyOnDelivery, notifyAfterMs }: Words): Submission["owes"] {
  if (notifyOnDelivery !== true && notifyAfterMs === undefined) return undefined;
  return { onDelivery: notifyOnDelivery === true, ...present({ afterMs: notifyAfterMs }) };
}

async function rawForm(
  request: Words,
  recipient: LiveSession | undefined,
  isElsewhere: boolean,
): Promise<MessageForm> {
  const keys = request.keys ?? [];
  const strange = keys.find((key) => !isKeyName(key));
  if (strange !== undefined || keys.length > MOST_KEYS) {
    throw new BellhopError("usage.invalid", {
      message:
        strange === undefined ? `More than ${MOST_KEYS} keys.` : `${JSON.stringify(strange)} is no key.`,
      next: "Name keys like Enter, Escape, Tab, Up, C-u; text goes into the message itself.",
    });
  }
  if (request.dialog !== undefined) {
    const dialog = codeIn(request.dialog);
    if (!isElsewhere)
      throw notForCode("The code of a dialog is for an agent on another host.", "Leave it out");
    if (bodyOf(request.body, request.command, request.payload) !== "")
      throw notForCode("An answer to a dialog is keys only.", "Leave the text out");
    return { kind: "raw", keys, dialog };
  }
  const reading = recipient === undefined ? undefined : (await recipient.observe()).reading;
  return { kind: "raw", keys, ...(reading?.kind === "dialog" ? { dialog: reading.fingerprint } : {}) };
}

function notForCode(message: string, what: string): BellhopError {
  return new BellhopError("usage.invalid", {
    message,
    next: `${what}: keys without a code answer the dialog that is open here.`,
  });
}

/** A code, and no fingerprint: what an open dialog reads is for Bellhop to say. */
function codeIn(dialog: string): string {
  const code = dialog.toLowerCase();
  if (isCode(code)) return code;
  throw new BellhopError("usage.invalid", {
    message: `"${sanitiseLine(dialog, 40)}" is not the code of a dialog.`,
    next: "A message that waits for a dialog on another host names its code: bellhop show ID.",
  });
}
