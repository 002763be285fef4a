/** Who gets a message: subscribers, cascade and exclusions in one decision. Stateless; it does not look at the text. */
import { agentAddress, sessionAddress, splitAddress } from "../address.ts";
import type { HostName } from "../cluster/hosts.ts";
import { assertNever } from "../errors.ts";
import type { Address, AgentName, SessionId, Source } from "../message.ts";
import { hasWildcards, isWildcard, type Pattern } from "./pattern.ts";

export type Subscriber =
  | { readonly kind: "agent"; readonly name: AgentName }
  | { readonly kind: "session"; readonly agent: AgentName; readonly session: SessionId };

export interface RouteRequest {
  readonly from: Address;
  readonly source: Source;
  readonly path: Pattern;
}

/** What the decision needs to know about who is there. */
export interface RouteView {
  /** Matched in either direction; includes each agent's subscription to its own address. */
  subscribersOf(path: Pattern): readonly Subscriber[];
  knows(address: Address): boolean;
  /** The agent whose place under its parents this address is: `agent/<parent>/<name>`. */
  descendantAt(address: Address): AgentName | undefined;
  agentOf(session: SessionId): AgentName | undefined;
}

export interface Handler {
  readonly agentId: AgentName;
  readonly sessionId: SessionId;
}

export type RoutedDelivery =
  | {
      readonly kind: "session";
      readonly to: Address;
      readonly agent: AgentName;
      readonly session: SessionId;
    }
  | { readonly kind: "agent"; readonly to: Address; readonly agent: AgentName; readonly handled: false }
  | {
      readonly kind: "agent";
      readonly to: Address;
      readonly agent: AgentName;
      readonly handled: true;
      readonly handledBy: readonly Handler[];
    }
  | { readonly kind: "person"; readonly to: Address }
  /** The mailbox of a bridge, or of the desk. */
  | { readonly kind: "outlet"; readonly to: Address }
  /** The mailbox from which it goes to another host. */
  | { readonly kind: "host"; readonly to: Address; readonly host: HostName };

export type UnmatchedReason =
  | "nobody has this address"
  | "nobody subscribes to this path"
  | "only its own sender subscribes to this path"
  /** And what to write. */
  | `${string} has no such place: ${string}`
  | `the host ${string} is not admitted here`
  | `several hosts have it: ${string}`;

export type Decision =
  /** Sessions before agents, each in order of name; never empty. */
  | { readonly kind: "deliver"; readonly deliveries: readonly RoutedDelivery[] }
  | { readonly kind: "unmatched"; readonly reason: UnmatchedReason };

/** Paths to the outside: what an agent inside sends there is not heard by its sender. */
const OUTSIDE_ROOTS: ReadonlySet<string> = new Set(["slack", "telegram", "email", "webhook", "imessage"]);

export function route(request: RouteRequest, view: RouteView): Decision {
  const { path, from, source } = request;
  const sender = senderOf(from, view);
  const matched = view.subscribersOf(path);
  const hearing =
    sender !== undefined && leavesOutSender(path, sender, !isFromOutside(source), view)
      ? matched.filter((subscriber) => agentOf(subscriber) !== sender)
      : matched;
  const deliveries = deliveriesTo(addresseeOf(path, view), hearing);
  if (deliveries.length > 0) return { kind: "deliver", deliveries };
  return { kind: "unmatched", reason: whyNobody(path, matched) };
}

/** It also goes out through a bridge, whoever else gets it. */
export function withOutlet(decision: Decision, to: Address | undefined): Decision {
  if (to === undefined) return decision;
  const others = decision.kind === "deliver" ? decision.deliveries : [];
  return { kind: "deliver", deliveries: [...others, { kind: "outlet", to }] };
}

export function isFromOutside(source: Source): boolean {
  return source === "bridge" || source === "webhook";
}

function senderOf(from: Address, view: RouteView): AgentName | undefined {
  const { kind, rest } = splitAddress(from);
  if (kind === "session") return view.agentOf(rest);
  return kind === "agent" ? rest : undefined;
}

function agentOf(subscriber: Subscriber): AgentName {
  return subscriber.kind === "agent" ? subscriber.name : subscriber.agent;
}

/** The sender of a broadcast to agents does not hear it; a message to oneself is not a broadcast. */
function leavesOutSender(path: Pattern, sender: AgentName, inside: boolean, view: RouteView): boolean {
  const [root = "", ...rest] = path.segments;
  if (root === "agent" && rest.length > 0)
    return (
      path.text !== agentAddress(sender) && (hasWildcards(path) || view.descendantAt(path.text) !== sender)
    );
  return isWildcard(root) || (inside && OUTSIDE_ROOTS.has(root));
}

type Addressee = Subscriber | { readonly kind: "person"; readonly address: Address };

/** An addressee named directly gets it without a subscription; a session named directly, without its agent. */
function addresseeOf(path: Pattern, view: RouteView): Addressee | undefined {
  if (hasWildcards(path)) return undefined;
  const { kind, rest } = splitAddress(path.text);
  switch (kind) {
    case "agent":
      return view.knows(path.text) ? { kind, name: rest } : undefined;
    case "session": {
      const agent = view.agentOf(rest);
      return agent === undefined ? undefined : { kind, agent, session: rest };
    }
    case "person":
      return view.knows(path.text) ? { kind, address: path.text } : undefined;
    case "other": {
      const name = view.descendantAt(path.text);
      return name === undefined ? undefined : { kind: "agent", name };
    }
    default:
      return assertNever(kind);
  }
}

function deliveriesTo(
  addressee: Addressee | undefined,
  hearing: readonly Subscriber[],
): readonly RoutedDelivery[] {
  const only = onlyAgent(addressee, hearing);
  if (only !== undefined) return [agentCopy(only, [])];
  // A matching session also adds its agent.
  const agents = new Set(hearing.map(agentOf));
  if (addressee?.kind === "agent") agents.add(addressee.name);
  const sessions = new Map<AgentName, Set<SessionId>>();
  for (const subscriber of addressee?.kind === "session" ? [addressee, ...hearing] : hearing) {
    if (subscriber.kind !== "session") continue;
    const ofAgent = sessions.get(subscriber.agent) ?? new Set();
    sessions.set(subscriber.agent, ofAgent.add(subscriber.session));
  }
  const sessionsOf = (agent: AgentName): readonly SessionId[] => {
    const ofAgent = sessions.get(agent);
    return ofAgent === undefined ? [] : [...ofAgent].sort();
  };
  return [
    ...[...sessions.keys()].sort().flatMap((agent) =>
      sessionsOf(agent).map((session) => ({
        kind: "session" as const,
        to: sessionAddress(session),
        agent,
        session,
      })),
    ),
    ...[...agents].sort().map((agent) => agentCopy(agent, sessionsOf(agent))),
    ...(addressee?.kind === "person" ? [{ kind: "person" as const, to: addressee.address }] : []),
  ];
}

/** Most messages reach one agent and nobody else. */
function onlyAgent(addressee: Addressee | undefined, hearing: readonly Subscriber[]): AgentName | undefined {
  if (hearing.length > 1 || (addressee !== undefined && addressee.kind !== "agent")) return undefined;
  const [first] = hearing;
  if (first === undefined) return addressee?.name;
  if (first.kind !== "agent") return undefined;
  return addressee === undefined || addressee.name === first.name ? first.name : undefined;
}

function agentCopy(agent: AgentName, handledIn: readonly SessionId[]): RoutedDelivery {
  const to = agentAddress(agent);
  if (handledIn.length === 0) return { kind: "agent", to, agent, handled: false };
  const handledBy = handledIn.map((sessionId) => ({ agentId: agent, sessionId }));
  return { kind: "agent", to, agent, handled: true, handledBy };
}

function whyNobody(path: Pattern, matched: readonly Subscriber[]): UnmatchedReason {
  if (matched.length > 0) return "only its own sender subscribes to this path";
  const named = !hasWildcards(path) && splitAddress(path.text).kind !== "other";
  return named ? "nobody has this address" : "nobody subscribes to this path";
}
