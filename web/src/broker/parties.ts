/** Who writes and who gets it, as the picture shows them: agents, people, bridges, dead letters. Pure. */
import { splitAddress } from "../../../src/core/address.ts";
import { hostMailbox, hostOfMailbox, splitHost } from "../../../src/core/cluster/hosts.ts";
import { BRIDGE_NAMES, bridgeMailbox, DESK } from "../../../src/core/outside/places.ts";

/** Stands for everybody who has no recipient. No address looks like this. */
export const DEAD_LETTERS = "(dead letters)";
/** Stands for everybody who is not drawn. */
export const OTHERS = "(others)";

export type PartyKind = "person" | "agent" | "outside" | "other" | "others" | "dead-letters";

/** A place outside counts as its bridge: a channel may have thousands of people. Who is on another host counts as it. */
export function partyOf(address: string): string {
  if (address === DESK) return "desk";
  const [root = "", name] = address.split("/");
  // Its notices, whatever they are about.
  if (root === "bellhop") return root;
  if (root === "bridge" && name !== undefined) return name;
  const elsewhere = splitHost(address);
  if (elsewhere !== undefined) return hostMailbox(elsewhere.host);
  return BRIDGE_NAMES.find((one) => one === root) ?? address;
}

export function kindOf(party: string): PartyKind {
  if (party === DEAD_LETTERS) return "dead-letters";
  if (party === OTHERS) return "others";
  if (party === "desk" || BRIDGE_NAMES.some((one) => one === party)) return "outside";
  if (hostOfMailbox(party) !== undefined) return "outside";
  const { kind } = splitAddress(party);
  return kind === "agent" || kind === "person" ? kind : "other";
}

/** The name of the agent that can be opened. */
export function agentOf(party: string): string | undefined {
  const { kind, rest } = splitAddress(party);
  return kind === "agent" ? rest : undefined;
}

/** The mailbox in which its messages are: that of a bridge has those to all of its places. */
export function mailboxOf(party: string): string {
  if (party === "desk") return DESK;
  const bridge = BRIDGE_NAMES.find((one) => one === party);
  return bridge === undefined ? party : bridgeMailbox(bridge);
}

/** Without the words of the page, which has them for those that are nobody's address. */
export function nameOf(party: string): string {
  const { kind, rest } = splitAddress(party);
  if (kind === "agent" || kind === "person") return rest;
  const host = hostOfMailbox(party);
  if (host !== undefined) return host;
  return party.startsWith("program/") ? party.slice("program/".length) : party;
}
