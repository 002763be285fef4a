/** To which other hosts a message goes, besides those who get it here. Pure. */
import { type HostName, hostMailbox, splitHost } from "../cluster/hosts.ts";
import { meantElsewhere, type NamesElsewhere } from "../cluster/names.ts";
import type { Address } from "../message.ts";
import { isWildcard, normalisePath, type Pattern } from "./pattern.ts";
import { PRIVATE_ROOTS } from "./private-paths.ts";
import type { Decision, RoutedDelivery } from "./route.ts";

export interface HearingElsewhere extends NamesElsewhere {
  /** The hosts on which somebody subscribes to this path and that may hear it, by name. */
  takersOf(path: Pattern): readonly HostName[];
}

/** Who is addressed there is on one host, and what is said to all of them does not leave it. */
export const STAYING_ROOTS: ReadonlySet<string> = new Set([...PRIVATE_ROOTS, "host", "bridge"]);

/** Whether those who subscribe to this path on other hosts hear it too. */
export function isHeardElsewhere({ text, segments: [root = ""] }: Pattern): boolean {
  return !isWildcard(root) && !STAYING_ROOTS.has(root) && splitHost(text) === undefined;
}

/** Whether it is said to all agents, sessions or others of a host, or to all that there is: only who is on that host may. */
export function isSaidToAll(to: Address): boolean {
  const segments = normalisePath(splitHost(to)?.address ?? to).split("/");
  const [root = ""] = segments;
  return segments.some(isWildcard) && (isWildcard(root) || STAYING_ROOTS.has(root));
}

/** `here`: who gets it on this host; not asked if the path names another. `isPrivate`: only who is named hears it. */
export function routeAcross(
  path: Pattern,
  elsewhere: HearingElsewhere,
  here: () => Decision,
  isPrivate = false,
): Decision {
  const named = splitHost(path.text)?.host;
  if (named !== undefined && named !== elsewhere.host) {
    return elsewhere.isAdmitted(named)
      ? { kind: "deliver", deliveries: [toHost(named)] }
      : { kind: "unmatched", reason: `the host ${named} is not admitted here` };
  }
  const decision = here();
  if (isHeardElsewhere(path)) return isPrivate ? decision : withHosts(decision, elsewhere.takersOf(path));
  return decision.kind === "unmatched" ? orTheOneElsewhere(decision, path, elsewhere) : decision;
}

/** A dead letter only if no host has a taker. */
function withHosts(decision: Decision, hosts: readonly HostName[]): Decision {
  if (hosts.length === 0) return decision;
  const others = decision.kind === "deliver" ? decision.deliveries : [];
  return { kind: "deliver", deliveries: [...others, ...hosts.map(toHost)] };
}

/** A name that nobody here has may be one that somebody has elsewhere. */
function orTheOneElsewhere(decision: Decision, path: Pattern, elsewhere: HearingElsewhere): Decision {
  const meant = meantElsewhere(path.text, elsewhere);
  if (meant.kind === "ambiguous")
    return { kind: "unmatched", reason: `several hosts have it: ${meant.candidates.join(", ")}` };
  const host = meant.kind === "address" ? splitHost(meant.address)?.host : undefined;
  return host === undefined ? decision : { kind: "deliver", deliveries: [toHost(host)] };
}

function toHost(host: HostName): RoutedDelivery {
  return { kind: "host", to: hostMailbox(host), host };
}
