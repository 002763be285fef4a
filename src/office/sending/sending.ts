/** `send` and `reply`: to whom, from whom, and what the sender is told. Called by their verbs; hands over to accept. */
import { agentAddress, splitAddress } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Address, Delivery, Message } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { withAttached } from "../../core/text/attached.ts";
import { nearest } from "../../core/text/nearest.ts";
import type { AddressedDelivery, SendResponse } from "../../wire/shapes/messages.ts";
import type { RequestOf } from "../../wire/verbs/index.ts";
import type { SendRequest } from "../../wire/verbs/messages.ts";
import { type AnsweringParts, answerAddress, answerPlace } from "../accept/answering.ts";
import type { Registrar } from "../arrivals/registrar.ts";
import type { Successors } from "../arrivals/successors.ts";
import type { Directory, SenderIdentity } from "../presence/directory.ts";
import { sentDelivery } from "../views/shown.ts";
import type { Asking } from "./asking.ts";
import { attached } from "./attaching.ts";
import { type SubmittingParts, submit } from "./submitting.ts";
import { whomToSend } from "./whom.ts";

export interface SendingParts extends SubmittingParts, AnsweringParts {
  readonly registrar: Registrar;
  readonly asking: Asking;
  readonly successors: Successors;
}

export async function reply(
  parts: SendingParts,
  { id, ...request }: RequestOf<"reply">,
): Promise<SendResponse> {
  const answers = parts.queries.message(id);
  return send(parts, { ...request, to: answerAddress(answers, parts) }, answers);
}

export async function send(
  parts: SendingParts,
  request: SendRequest,
  explicit?: Message,
): Promise<SendResponse> {
  const named = await whomToSend(parts, request.to);
  const answered = request.re === undefined ? explicit : parts.queries.message(request.re);
  // Whoever answers the sender of what came from outside answers where they said it.
  const to = (answered?.from === named ? answerPlace(answered, parts) : undefined) ?? named;
  const { claims, from, channel } = request;
  const sender =
    channel === undefined
      ? parts.directory.sender(claims, from)
      : parts.directory.bringer(claims, from, channel);
  refuseNamesake(parts.context.owner, request.to, to, sender);
  if (request.asks === true) parts.asking.refuseInVain(to, sender);
  const body = withAttached(request.body, await attached(parts, request, to, sender));
  const accepted = await submit(parts, { ...request, body }, to, sender, explicit, {
    ...(request.asks === true ? { with: (_, question) => parts.asking.begun(question) } : {}),
  });
  const { message, deliveries, unmatched, reason } = accepted;
  const { kind, rest } = splitAddress(to);
  const successor = kind === "agent" ? parts.successors.likely(rest) : undefined;
  return {
    messageId: message.id,
    shortId: message.shortId,
    unmatched,
    ...present({ reason }),
    ...(unmatched ? meantBy(to, parts.directory) : {}),
    deliveries: deliveries.map((delivery) => ({
      ...sentDelivery(delivery, message),
      ...agentOf(delivery, to, parts),
    })),
    ...present({ successor, replyTo: message.replyTo, bound: message.bound }),
  };
}

/** The address of a session or the mailbox of a host means nothing to a person. */
function agentOf(
  { to: mailbox }: Delivery,
  to: Address,
  { context, neighbours }: SendingParts,
): Pick<AddressedDelivery, "agent"> {
  const { kind, rest } = splitAddress(mailbox);
  if (kind === "session") return present({ agent: context.store.read.session(rest)?.agent });
  const there = neighbours.elsewhere(to);
  const named = there === undefined ? undefined : splitAddress(there.address);
  return named?.kind === "agent" ? { agent: named.rest } : {};
}

/** A mistyped path to an agent becomes a dead letter, whereas a mistyped bare name is refused. */
function meantBy(to: Address, directory: Directory): Pick<SendResponse, "meant"> {
  const { kind, rest } = splitAddress(to);
  const name = kind === "agent" ? nearest(rest, directory.namesAnywhere()) : undefined;
  return name === undefined ? {} : { meant: agentAddress(name) };
}

/** An agent that writes to its person must not reach an agent that happens to have the same name. */
function refuseNamesake(owner: Address, who: string, to: Address, { source }: SenderIdentity): void {
  const { rest } = splitAddress(owner);
  if (source !== "agent" || who !== rest || splitAddress(to).kind !== "agent") return;
  throw new BellhopError("recipient.ambiguous", {
    message: `"${who}" could be any of: ${to}, ${owner}.`,
    next: "Use one of these.",
    candidates: [to, owner],
  });
}
