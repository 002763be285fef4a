/** What callers hand to accept, and what it returns. */
import { LetterRefused } from "../../core/cluster/refusals.ts";
import { BellhopError } from "../../core/errors.ts";
import { type Delivery, LIMITS, type Message, type Priority, type Wishes } from "../../core/message.ts";
import { isFromOutside } from "../../core/routing/route.ts";
import type { SenderIdentity } from "../presence/directory.ts";

/** Without `timeoutMs`, the configured timeout applies. */
export interface Submission
  extends Wishes,
    Pick<Message, "to" | "body" | "form" | "priority" | "command" | "payload" | "channel" | "externalId"> {
  readonly sender: SenderIdentity;
  /** The priority that the sender asked for; without it, the configured one applies. */
  readonly askedPriority?: Priority;
  /** The message this one answers, if the sender said so. */
  readonly answers?: Message;
  readonly idempotencyKey?: string;
  /** Of what Bellhop says about a message of this many hops: an agent's turn about it goes on from there. */
  readonly afterHops?: number;
}

export interface Accepted {
  readonly message: Message;
  readonly deliveries: readonly Delivery[];
  readonly unmatched: boolean;
  /** Why it is a dead letter. */
  readonly reason?: string;
  readonly looped?: boolean;
}

export function checkBody({ body, form }: Submission): void {
  if (body.trim() === "" && !(form.kind === "raw" && (form.keys.length > 0 || body !== ""))) {
    throw new BellhopError("message.empty", {
      message: "The message has no text.",
      next: "Give some text, or - to read it from standard input.",
    });
  }
  // Three bytes at most for each unit of a string.
  if (body.length * 3 > LIMITS.bodyBytes && Buffer.byteLength(body, "utf8") > LIMITS.bodyBytes) {
    throw new BellhopError("message.too_large", {
      message: `The message has more than ${LIMITS.bodyBytes / 1024} KiB.`,
      next: "Put it into a file and send the file's path.",
    });
  }
  if (!body.isWellFormed()) {
    throw new BellhopError("message.invalid_utf8", {
      message: "The message is not valid Unicode text.",
      next: "Send UTF-8 text.",
    });
  }
}

/** Whatever way it takes in: keys answer dialogs, and what came from outside must not. */
export function refuseKeysFromOutside({ sender, form }: Pick<Submission, "sender" | "form">): void {
  if (form.kind !== "raw" || !isFromOutside(sender.source)) return;
  throw new BellhopError("request.forbidden", {
    message: "A message from outside may not be raw.",
    next: "Send it as text.",
  });
}

/** Somebody on another host wrote to an address that nobody has here, or to a path that nobody hears. */
export function nobodyHere(reason: string): BellhopError {
  return new LetterRefused("nobody", "recipient.unknown", {
    message: `Nobody takes it: ${reason}.`,
    next: `See who is where with "bellhop ls --all-hosts --all".`,
  });
}
