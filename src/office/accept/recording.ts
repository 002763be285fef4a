/** The steps of accept inside its transaction: nobody is told anything yet. `accept.ts` has their order. */
import { agentAddress } from "../../core/address.ts";
import type { BellhopError } from "../../core/errors.ts";
import type { Address, AgentName } from "../../core/message.ts";
import { refusalOutside } from "../../core/outside/acquaintances.ts";
import { bridgeOf, insteadOf } from "../../core/outside/places.ts";
import { routeAcross } from "../../core/routing/across-hosts.ts";
import type { Pattern } from "../../core/routing/pattern.ts";
import { isSaidToPerson } from "../../core/routing/private-paths.ts";
import {
  type Decision,
  isFromOutside,
  type RouteRequest,
  type RouteView,
  route,
  withOutlet,
} from "../../core/routing/route.ts";
import type { Writable } from "../../core/writable.ts";
import type { StoreReader } from "../../ports/store.ts";
import type { SenderIdentity } from "../presence/directory.ts";
import { descendantAt } from "../presence/lineage.ts";
import { answeredBy } from "./answering.ts";
import { acceptedBefore } from "./idempotency.ts";
import type { AcceptOptions, AcceptParts, Incoming } from "./incoming.ts";
import { place } from "./placing.ts";
import { type Accepted, nobodyHere } from "./submission.ts";

/** A repeat gets the same answer as the first send. */
export function recogniseRepeat({ tx, once, asked, parts }: Incoming): Accepted | undefined {
  const earlier = once === undefined ? undefined : acceptedBefore(tx, once, asked, parts.context.digest);
  if (earlier === undefined) return undefined;
  const reason = tx.unmatchedReason(earlier.message.id);
  return reason === undefined ? earlier : { ...earlier, reason };
}

export function findAnswered(incoming: Incoming): undefined {
  const { tx, submission, parts } = incoming;
  incoming.answered = answeredBy(tx, submission, parts.directory);
}

export function routeIt(incoming: Incoming): undefined {
  const { tx, submission, path, parts, options } = incoming;
  options.before?.(tx);
  const { address: from, source, byOwner } = submission.sender;
  const outlet = options.onlyOutside === true ? parts.told.outletFor(path.text) : undefined;
  const only = options.only ?? outlet;
  if (only !== undefined) {
    incoming.decision = { kind: "deliver", deliveries: [{ kind: "outlet", to: only }] };
    return;
  }
  const request: Writable<Routed> = { from, source, path };
  if (byOwner !== undefined) request.byOwner = byOwner;
  if (options.localOnly !== undefined) request.localOnly = options.localOnly;
  incoming.decision = decide(parts, tx, request, options.otherwise);
}

export interface Routed
  extends RouteRequest,
    Pick<SenderIdentity, "byOwner">,
    Pick<AcceptOptions, "localOnly"> {}

/** Why an agent may not write to this place outside. The owner may write anywhere, in whosever name. */
export function refusedOutside(
  { context, told }: AcceptParts,
  read: StoreReader,
  { byOwner, localOnly, path, from, source }: Routed,
): BellhopError | undefined {
  if (byOwner === true || localOnly === true || told.outletFor(path.text) === undefined) return undefined;
  const { desk, rights } = context.settings();
  const hasWritten = (place: Address) => read.hasArrivedFrom(place);
  return refusalOutside({ from, source }, path.text, rights, { ...desk, hasWritten });
}

/**
 * Who gets it now; throws if it would go outside, and its sender may not write there. `otherwise`: the mailbox for what
 * came from outside and nobody subscribes to.
 */
export function decide(
  parts: AcceptParts,
  read: StoreReader,
  request: Routed,
  otherwise?: Address,
): Decision {
  const refusal = refusedOutside(parts, read, request);
  if (refusal !== undefined) throw refusal;
  const { path, source, localOnly } = request;
  const here = (): Decision => route(request, routeView(parts, read));
  if (localOnly === true) return here();
  const elsewhere = parts.neighbours.current;
  const isPrivate = () => otherwise !== undefined || isPersonsOwn(parts, request);
  const decision = elsewhere === undefined ? here() : routeAcross(path, elsewhere, here, isPrivate());
  if (!isFromOutside(source))
    return orNoPlace(parts, withOutlet(decision, parts.told.outletFor(path.text)), path.text);
  return decision.kind === "unmatched" ? withOutlet(decision, otherwise) : decision;
}

/** What the person says outside, and what is said in their own channels, is not for other hosts. */
function isPersonsOwn({ context }: AcceptParts, { from, source, path }: Routed): boolean {
  if (isFromOutside(source) && from === context.owner) return true;
  return isSaidToPerson(path.text, context.settings().desk.channels);
}

/** The agents that hear a path, whoever says it. */
export function hearersOf(parts: AcceptParts, read: StoreReader, path: Pattern): readonly Address[] {
  const subscribers = routeView(parts, read).subscribersOf(path);
  return subscribers.map((one) => agentAddress(one.kind === "agent" ? one.name : one.agent));
}

/** A mistyped place outside is named as such, if there is a bridge for it. */
function orNoPlace({ context }: AcceptParts, decision: Decision, path: Address): Decision {
  if (decision.kind === "deliver") return decision;
  const bridge = bridgeOf(path);
  const instead = insteadOf(path);
  if (bridge === undefined || bridge === "webhook" || instead === undefined) return decision;
  if (!context.settings().desk.bridges.includes(bridge)) return decision;
  return { kind: "unmatched", reason: `${bridge} has no such place: write ${instead}` };
}

/** Covers the agents and sessions that are there now. */
function routeView({ directory, subscriptions, listeners, told }: AcceptParts, read: StoreReader): RouteView {
  // It runs or is not known to have ended, its mailbox is read by hand, someone listens to it, or it takes turns.
  const isThere = (agent: AgentName): boolean =>
    directory.isThere(agent, read) ||
    listeners.isHeard(agentAddress(agent)) ||
    told.takesTurns(agentAddress(agent));
  return {
    subscribersOf: (path) => subscriptions.subscribersOf(path, read, isThere),
    knows: (address) => directory.knows(address),
    descendantAt: (address) => descendantAt(address, read),
    agentOf: (session) => read.session(session)?.agent,
  };
}

export function markAnswered({ tx, answered, message }: Incoming): undefined {
  if (answered === undefined) return;
  for (const { delivery } of answered.deliveries) {
    const note = `answered by #${message.shortId} (${answered.bound})`;
    tx.moveDelivery(delivery.id, { at: message.createdAt, state: "replied", note }, { hold: null });
  }
}

/** Puts it into its mailboxes. Without a recipient, or past the loop limit, it becomes a dead letter. */
export function placeIt(incoming: Incoming): undefined {
  const { tx, message, submission, timeoutAt, parts, options } = incoming;
  // Counted once, even if the transaction is retried.
  const isLimited = options.isCopy !== true;
  incoming.looped ??= { stopped: isLimited ? parts.loops.stopped(message, options.agoMs) : undefined };
  const { stopped } = incoming.looped;
  const decision = stopped ?? incoming.decision;
  if (decision.kind === "unmatched") {
    const { reason } = decision;
    if (options.localOnly === true && stopped === undefined) throw nobodyHere(reason);
    tx.insertUnmatched(message.id, message.createdAt, reason, submission);
    incoming.accepted = { message, deliveries: [], unmatched: true, reason, looped: stopped !== undefined };
    return;
  }
  const deliveries = place(parts, tx, message, submission, timeoutAt, decision.deliveries);
  incoming.accepted = { message, deliveries, unmatched: false };
}

export function moveWithIt({ tx, message, options }: Incoming): undefined {
  options.with?.(tx, message);
}
