/** Addresses as paths, and a person's word for a recipient. */
import { BellhopError } from "./errors.ts";
import type { Address, AgentName, SessionId } from "./message.ts";
import { isWellFormed, sanitiseLine } from "./text/sanitise.ts";

export const AGENT_NAME_PATTERN = /^[a-z0-9][a-z0-9._-]{0,63}$/;
export const ADDRESS_LIMITS = { segments: 16, characters: 256 } as const;
const LONGEST_AGENT_NAME = 64;
const MOST_REMEMBERED = 4_096;
const FALLBACK_AGENT_NAME = "agent";

export function isAgentName(text: string): text is AgentName {
  return AGENT_NAME_PATTERN.test(text);
}

export interface ParsedAddress {
  readonly address: Address;
  readonly segments: readonly string[];
}

/** Most paths look like this, and then only their length can be wrong. */
const PLAIN_PATH = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;

/** Throws `name.invalid` for anything that is not a path. */
export function parseAddress(text: string): ParsedAddress {
  const segments = text.split("/");
  const { segments: mostSegments, characters } = ADDRESS_LIMITS;
  if (text.length <= characters && segments.length <= mostSegments && PLAIN_PATH.test(text))
    return { address: text, segments };
  const fault = faultOf(text, segments);
  if (fault === undefined) return { address: text, segments };
  throw new BellhopError("name.invalid", {
    message: `"${sanitiseLine(text, 80)}" is not an address: ${fault}.`,
    next: "Write a path such as agent/coder, session/08bc57cf or person/dev.",
  });
}

function faultOf(text: string, segments: readonly string[]): string | undefined {
  const { segments: mostSegments, characters } = ADDRESS_LIMITS;
  if (text === "") return "it is empty";
  if ([...text].length > characters) return `it has more than ${characters} characters`;
  if (segments.length > mostSegments) return `it has more than ${mostSegments} segments`;
  if (segments.some((segment) => segment.trim() === "")) return "one of its segments is empty";
  if (segments.some((segment) => segment === "." || segment === "..")) return "a segment may not be . or ..";
  // Sanitising changes only control characters, invisible characters and broken Unicode.
  if (!isWellFormed(text) || sanitiseLine(text) !== text) return "it has control or invisible characters";
  return undefined;
}

/** The same text each time: whoever looks it up then need not compare or digest it anew. */
const addressOfAgent = new Map<AgentName, Address>();

export function agentAddress(name: AgentName): Address {
  const known = addressOfAgent.get(name);
  if (known !== undefined) return known;
  if (isAgentName(name)) {
    const address = `agent/${name}`;
    if (addressOfAgent.size >= MOST_REMEMBERED) addressOfAgent.clear();
    addressOfAgent.set(name, address);
    return address;
  }
  throw new BellhopError("name.invalid", {
    message: `"${sanitiseLine(name, 80)}" is not a name for an agent.`,
    next: `Use 1 to ${LONGEST_AGENT_NAME} of a-z, 0-9, ".", "_" and "-", starting with a letter or a digit.`,
  });
}

export function sessionAddress(id: SessionId): Address {
  return inside("session", id);
}

export function personAddress(name: string): Address {
  return inside("person", name);
}

/** A program that is not one of our agents: a script, a bridge. */
export function programAddress(name: string): Address {
  return inside("program", name);
}

function inside(root: "session" | "person" | "program", name: string): Address {
  const { address, segments } = parseAddress(`${root}/${name}`);
  if (segments.length === 2) return address;
  throw new BellhopError("name.invalid", {
    message: `"${sanitiseLine(name, 80)}" is not a name for a ${root}: it has a slash.`,
    next: "Leave the slash out.",
  });
}

export interface SplitAddress {
  readonly kind: "agent" | "session" | "person" | "other";
  /** The name or id; the whole path for `other`. */
  readonly rest: string;
}

/** Each message asks for the parts of the same few addresses, several times. */
const partsOf = new Map<Address, SplitAddress>();

/** A pattern, or a name that no agent can have, is `other`, so `rest` is safe to look up and to name a folder after. */
export function splitAddress(address: Address): SplitAddress {
  const known = partsOf.get(address);
  if (known !== undefined) return known;
  const parts = split(address);
  if (address.length > ADDRESS_LIMITS.characters) return parts;
  if (partsOf.size >= MOST_REMEMBERED) partsOf.clear();
  partsOf.set(address, parts);
  return parts;
}

function split(address: Address): SplitAddress {
  if (address.startsWith("agent/")) {
    const name = address.slice("agent/".length);
    return isAgentName(name) ? { kind: "agent", rest: name } : { kind: "other", rest: address };
  }
  const slash = address.indexOf("/");
  const rest = address.slice(slash + 1);
  if (slash === -1 || rest === "" || rest.includes("/")) return { kind: "other", rest: address };
  if (address.startsWith("session/")) return { kind: "session", rest };
  if (address.startsWith("person/")) return { kind: "person", rest };
  return { kind: "other", rest: address };
}

/** Always a valid name, made from a folder's name. */
export function slugAgentName(folderName: string): AgentName {
  const slug = folderName
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{Mark}/gu, "")
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "");
  return withoutTail(slug.slice(0, LONGEST_AGENT_NAME)) || FALLBACK_AGENT_NAME;
}

/** More agents of one name than this must be a mistake elsewhere. */
const MOST_NAMESAKES = 10_000;

export function uniqueAgentName(wanted: string, taken: (name: AgentName) => boolean): AgentName {
  const name = isAgentName(wanted) ? wanted : slugAgentName(wanted);
  if (!taken(name)) return name;
  for (let number = 2; number <= MOST_NAMESAKES; number += 1) {
    const suffix = `-${number}`;
    const candidate = withoutTail(name.slice(0, LONGEST_AGENT_NAME - suffix.length)) + suffix;
    if (!taken(candidate)) return candidate;
  }
  throw new BellhopError("agent.exists", {
    message: `There are ${MOST_NAMESAKES} agents named like "${name}".`,
    next: `Remove some with "bellhop agent remove", or choose another name.`,
  });
}

function withoutTail(name: string): string {
  let end = name.length;
  while (end > 0 && "._-".includes(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}

export interface RecipientDirectory {
  readonly agents: readonly { readonly name: AgentName }[];
  readonly sessions: readonly RecipientSession[];
}

export interface RecipientSession {
  readonly id: SessionId;
  readonly agent: AgentName;
  readonly label: string;
  readonly live: boolean;
  readonly headline?: string;
}

export type Resolution =
  | { readonly kind: "address"; readonly address: Address }
  | { readonly kind: "unknown" }
  /** Each of these addresses resolves by itself. */
  | { readonly kind: "ambiguous"; readonly candidates: readonly Address[] };

/**
 * In this order: a path, a session id or its beginning, an agent's name, a label, and last a name or label with case,
 * hyphens, spaces and underscores folded. An invalid path throws `name.invalid`; a path that nobody has is returned
 * for the caller to look up.
 */
export function resolveRecipient(text: string, directory: RecipientDirectory): Resolution {
  if (text.includes("/")) return { kind: "address", address: parseAddress(text).address };
  const { agents, sessions } = directory;
  const named = agents.filter(({ name }) => name === text).map(agentOf);
  const started = sessionsStarting(text, sessions).map(sessionOf);
  // "beef" may be an agent and also the beginning of a session's id: which was meant is unknown.
  const byNameOrId = [...started, ...named];
  // Nearly every message names somebody exactly; only the others are worth a look at every label.
  const found = [...new Set(byNameOrId.length > 0 ? byNameOrId : byLabel(text, agents, sessions))];
  const [address, ...others] = found;
  if (address === undefined) return { kind: "unknown" };
  return others.length === 0 ? { kind: "address", address } : { kind: "ambiguous", candidates: found };
}

/** The sessions with this id, or else with ids that start with it. */
export function sessionsStarting<Session extends { readonly id: SessionId }>(
  text: string,
  sessions: readonly Session[],
): readonly Session[] {
  const prefix = text.toLowerCase();
  const exact = sessions.filter(({ id }) => id === prefix);
  if (exact.length > 0) return exact;
  return sessionPrefix(text) === undefined ? [] : sessions.filter(({ id }) => id.startsWith(prefix));
}

/** The text as the beginning of a session id, if it can be one. */
export function sessionPrefix(text: string): string | undefined {
  const prefix = text.toLowerCase();
  return /^[0-9a-f]{4,}$/.test(prefix) ? prefix : undefined;
}

function byLabel(
  text: string,
  agents: RecipientDirectory["agents"],
  sessions: RecipientDirectory["sessions"],
): readonly Address[] {
  const live = sessions.filter((session) => session.live);
  const labelled = live.filter(({ label }) => label === text).map(sessionOf);
  return labelled.length > 0 ? labelled : foldedMatches(text, agents, live);
}

function foldedMatches(
  text: string,
  agents: RecipientDirectory["agents"],
  live: readonly RecipientSession[],
): readonly Address[] {
  const wanted = foldedName(text);
  if (wanted === "") return [];
  return [
    ...agents.filter(({ name }) => foldedName(name) === wanted).map(agentOf),
    ...live.filter(({ label }) => foldedName(label) === wanted).map(sessionOf),
  ];
}

/** As a name is compared with what a person writes, if nobody has it exactly. */
export function foldedName(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")
    .trim();
}

function agentOf({ name }: { readonly name: AgentName }): Address {
  return agentAddress(name);
}

function sessionOf({ id }: RecipientSession): Address {
  return sessionAddress(id);
}
