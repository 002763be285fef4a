/** Why somebody hears a path, in words that follow "because". Pure. */
import { agentAddress } from "../address.ts";
import { assertNever } from "../errors.ts";
import type { Address, AgentName, SessionId } from "../message.ts";
import { isHeardElsewhere } from "./across-hosts.ts";
import { hasWildcards, type Pattern, patternMatches, subscriptionMatches } from "./pattern.ts";
import type { RoutedDelivery } from "./route.ts";

/** What one recipient is known to hear. */
export interface Ears {
  /** Besides `agent/<name>`: its places under the agents that started it. */
  placesOf(agent: AgentName): readonly Address[];
  subscriptionsOf(agent: AgentName): readonly string[];
  subscriptionsOfSession(session: SessionId): readonly string[];
  nameOf(session: SessionId): string;
}

/** Patterns that are named. */
const MOST_NAMED = 3;

export function whyItHears(delivery: RoutedDelivery, path: Pattern, ears: Ears): readonly string[] {
  switch (delivery.kind) {
    case "person":
      return ["it is this person's address"];
    case "outlet":
      return ["a bridge takes it outside"];
    case "host":
      return isHeardElsewhere(path)
        ? [`somebody on ${delivery.host} subscribes to it`]
        : [`it is on ${delivery.host}`];
    case "session":
      return orOther([
        ...(path.text === delivery.to ? ["it is this session's address"] : []),
        ...subscribed("the session", ears.subscriptionsOfSession(delivery.session), path),
      ]);
    case "agent":
      return orOther([
        ...address(delivery.agent, path, ears),
        ...subscribed("it", ears.subscriptionsOf(delivery.agent), path),
        ...(delivery.handled
          ? [
              `its ${sessions(delivery.handledBy.map(({ sessionId }) => ears.nameOf(sessionId)))} got it: this copy is only there to be received`,
            ]
          : []),
      ]);
    default:
      return assertNever(delivery);
  }
}

function address(agent: AgentName, path: Pattern, ears: Ears): readonly string[] {
  const own = agentAddress(agent);
  if (path.text === own) return ["it is its own address"];
  const place = ears.placesOf(agent).find((one) => patternMatches(path.text, one));
  if (!hasWildcards(path))
    return place === undefined ? [] : ["it is its place under the agent that started it"];
  if (patternMatches(path.text, own)) return ["the path matches its own address"];
  return place === undefined ? [] : [`the path matches its place ${place}`];
}

function subscribed(who: string, patterns: readonly string[], path: Pattern): readonly string[] {
  const matching = patterns.filter((pattern) => subscriptionMatches(pattern, path.text));
  if (matching.length === 0) return [];
  const named = matching.slice(0, MOST_NAMED).map((pattern) => `"${pattern}"`);
  const more = matching.length - named.length;
  return [`${who} subscribes to ${named.join(", ")}${more === 0 ? "" : ` and ${more} more`}`];
}

function sessions(names: readonly string[]): string {
  return `${names.length === 1 ? "session" : "sessions"} ${names.join(", ")}`;
}

/** The facts may have changed between the decision and the question. */
function orOther(reasons: readonly string[]): readonly string[] {
  return reasons.length === 0 ? ["it heard this path a moment ago"] : reasons;
}
