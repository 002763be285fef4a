/** From a request, by whichever verb, to the one way in: who sends it, in which form, with which wishes. */
import { BellhopError } from "../../core/errors.ts";
import type { Address, Message, MessageForm, Priority } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { requirePriority } from "../../core/priority.ts";
import { isFromOutside } from "../../core/routing/route.ts";
import { isKeyName } from "../../core/text/key-names.ts";
import type { SendRequest } from "../../wire/verbs/messages.ts";
import type { Accept } from "../accept/accept.ts";
import type { AcceptOptions } from "../accept/arrival.ts";
import type { Accepted, Submission } from "../accept/submission.ts";
import { bodyOf, INSIDE } from "../broker/broker-shape.ts";
import type { Directory, SenderIdentity } from "../presence/directory.ts";
import type { Ground } from "../presence/ground.ts";
import type { Queries } from "../views/queries.ts";
import { checkRequirement } from "./requirement.ts";

const MOST_KEYS = 32;

export interface SubmittingParts extends Ground {
  readonly accept: Accept;
  readonly queries: Queries;
}

export async function submit(
  parts: SubmittingParts,
  request: Omit<SendRequest, "to">,
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
  checkRequirement(recipient, request.require);
  const answers = explicit ?? (request.re === undefined ? undefined : queries.message(request.re));
  const submission: Submission = {
    to,
    sender,
    body: bodyOf(request.body, request.command, request.payload),
    form: await formOf(request, recipient),
    priority,
    ...(request.priority === undefined ? {} : { askedPriority: priority }),
    ...present({ command: request.command, payload: request.payload }),
    ...(request.channel === undefined || request.channel === INSIDE ? {} : { channel: request.channel }),
    ...present({
      externalId: request.externalId,
      answers,
      idempotencyKey: request.idempotencyKey,
      require: request.require,
      atMostOnce: request.atMostOnce,
      anyWayIn: request.anyWayIn,
      timeoutMs: request.timeoutMs,
    }),
    ...owedBy(request),
  };
  return parts.accept.accept(submission, options);
}

/** Whoever writes from outside does not stop a running turn, and answers no dialog. */
function refuseForOutsiders(
  { source }: SenderIdentity,
  { raw }: Omit<SendRequest, "to">,
  priority: Priority,
): void {
  if (!isFromOutside(source) || (raw !== true && priority !== "interrupt")) return;
  throw new BellhopError("request.forbidden", {
    message: `A message from outside may not be ${raw === true ? "raw" : "an interrupt"}.`,
    next: "Send it as text with another priority.",
  });
}

function owedBy({ notifyOnDelivery, notifyAfterMs }: Omit<SendRequest, "to">): Pick<Submission, "owes"> {
  if (notifyOnDelivery !== true && notifyAfterMs === undefined) return {};
  return {
    owes: {
      onDelivery: notifyOnDelivery === true,
      ...present({ afterMs: notifyAfterMs }),
    },
  };
}

async function formOf(
  request: Omit<SendRequest, "to">,
  recipient: ReturnType<Directory["takerOfMailbox"]>,
): Promise<MessageForm> {
  if (request.raw !== true) return { kind: "text" };
  const keys = request.keys ?? [];
  const strange = keys.find((key) => !isKeyName(key));
  if (strange !== undefined || keys.length > MOST_KEYS) {
    throw new BellhopError("usage.invalid", {
      message:
        strange === undefined ? `More than ${MOST_KEYS} keys.` : `${JSON.stringify(strange)} is no key.`,
      next: "Name keys like Enter, Escape, Tab, Up, C-u; text goes into the message itself.",
    });
  }
  const reading = recipient === undefined ? undefined : (await recipient.observe()).reading;
  return { kind: "raw", keys, ...(reading?.kind === "dialog" ? { dialog: reading.fingerprint } : {}) };
}
