/** To whom agents may write outside: the owner's accounts speak to people whom the owner knows, and to nobody else. */
import type { BellhopError } from "../errors.ts";
import type { Address, Message } from "../message.ts";
import { agentBehind, type RightsChoice, rightMissing, rightsOf } from "../rights/rights.ts";
import { ownAddressOf } from "./admission.ts";
import { type BridgeName, bridgeOf } from "./places.ts";

export interface Acquaintances {
  /** The person's own. */
  readonly channels: readonly Address[];
  /** Ids of people, and whole paths. */
  allow(bridge: BridgeName): readonly string[];
  /** Whether something that was admitted came from there. */
  hasWritten(path: Address): boolean;
}

export function isAcquainted(path: Address, { channels, allow, hasWritten }: Acquaintances): boolean {
  const bridge = bridgeOf(path);
  // In Slack the workspace is the limit: the bridge reaches no other.
  if (bridge === undefined || bridge === "slack") return true;
  return (
    isPersonsPlace(path, channels) ||
    allow(bridge).some((one) => one === path || ownAddressOf({ path, from: one }) === path) ||
    hasWritten(path)
  );
}

/** The person themselves reads what is said there. */
export function isPersonsPlace(path: Address, channels: readonly Address[]): boolean {
  return channels.some((channel) => channel === path || isSameCorrespondent(channel, path));
}

/** Mail to one person goes out under our address, or under it with an agent's tag. */
function isSameCorrespondent(channel: Address, path: Address): boolean {
  return bridgeOf(channel) === "email" && bridgeOf(path) === "email" && personIn(channel) === personIn(path);
}

function personIn(path: Address): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Why this sender may not write there; undefined if they may. Only agents are limited. */
export function refusalOutside(
  sender: Pick<Message, "from" | "source">,
  path: Address,
  rights: RightsChoice,
  acquaintances: Acquaintances,
): BellhopError | undefined {
  const bridge = bridgeOf(path);
  const agent = agentBehind(sender);
  if (bridge === undefined || agent === undefined || rightsOf(agent, rights).includes("admin"))
    return undefined;
  if (isAcquainted(path, acquaintances)) return undefined;
  return rightMissing(agent, "admin", `write to strangers outside (${path})`, howElse(bridge, path));
}

/** Not by the right, which opens much more; and it must be clear what being allowed gives a person. */
function howElse(bridge: BridgeName, path: Address): string {
  const themselves = "Leave it to the person you work for: they can write there themselves.";
  const entry = (allowed: string) => `bridges: { ${bridge}: { allow: [${JSON.stringify(allowed)}] } }`;
  if (bridge === "telegram" && personIn(path).startsWith("-"))
    return `${themselves} Only they can let agents do so, in config.yaml: ${entry(path)}. What is said in that group then reaches the agents that subscribe to it.`;
  return `${themselves} To let agents do so, they would have to allow that person, in config.yaml: ${entry(personIn(path))}. That is for people who may act for them: whoever is allowed speaks to all agents as the owner does, and may approve permissions.`;
}
