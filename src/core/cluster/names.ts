/** Whom a word means when there are other hosts: one that names its host, or one that nobody here has. Pure. */
import { foldedName, isAgentName, splitAddress } from "../address.ts";
import { BellhopError } from "../errors.ts";
import type { Address, AgentName } from "../message.ts";
import { didYouMean } from "../text/nearest.ts";
import {
  type Elsewhere,
  type HostName,
  hostMailbox,
  isHostName,
  shownElsewhere,
  splitHost,
  withHost,
} from "./hosts.ts";

/** What this host knows of the others. */
export interface NamesElsewhere {
  readonly host: HostName;
  hosts(): readonly HostName[];
  isAdmitted(host: HostName): boolean;
  /** The agents of this name, and the sessions whose ids begin with it, on admitted hosts. */
  named(name: string): readonly Elsewhere[];
  /** As it last said; none of a host that has said nothing. */
  agentsOf(host: HostName): readonly AgentName[];
  personOf(host: HostName): string | undefined;
}

export type HostedWord =
  | { readonly kind: "no-host" }
  /** To be looked up here, as if no host had been named. */
  | { readonly kind: "here"; readonly word: string }
  | { readonly kind: "there"; readonly address: Address }
  | { readonly kind: "stranger"; readonly host: HostName };

const NO_HOST: HostedWord = { kind: "no-host" };

/** Whom a word means that names its host: `agent/coder@laptop`, `coder@laptop`, `laptop:coder`, `laptop:agent/coder`. */
export function hostedWord(text: string, names: NamesElsewhere | undefined): HostedWord {
  // Every message asks it, and few name a host.
  if (!text.includes("@") && !text.includes(":")) return NO_HOST;
  const found = wordAndHost(text, names);
  if (found === undefined) return NO_HOST;
  const { word, host } = found;
  // Without a cluster, the name of a person may look like this.
  if (names === undefined) return word.startsWith("person/") ? NO_HOST : { kind: "stranger", host };
  if (host === names.host) return { kind: "here", word };
  if (!names.isAdmitted(host)) return { kind: "stranger", host };
  return { kind: "there", address: withHost(addressThere(word, host, names), host) };
}

export type MeantElsewhere =
  | { readonly kind: "unknown" }
  | { readonly kind: "address"; readonly address: Address }
  /** Each of these words means one recipient. */
  | { readonly kind: "ambiguous"; readonly candidates: readonly string[] };

/** Whom a name, an id or its beginning, `agent/…` or `session/…` means on the other hosts, if nobody here has it. */
export function meantElsewhere(text: string, names: NamesElsewhere): MeantElsewhere {
  const { kind, rest } = splitAddress(text);
  const isPath = text.includes("/");
  if (isPath && kind !== "agent" && kind !== "session") return { kind: "unknown" };
  const exact = names
    .named(isPath ? rest : text.toLowerCase())
    .filter(({ address }) => !isPath || splitAddress(address).kind === kind);
  const found = exact.length > 0 || isPath ? exact : foldedElsewhere(text, names);
  const [first, ...others] = found;
  if (first === undefined) return { kind: "unknown" };
  if (others.length > 0) return { kind: "ambiguous", candidates: found.map(shownElsewhere) };
  return { kind: "address", address: withHost(first.address, first.host) };
}

interface WordAndHost {
  readonly word: string;
  readonly host: HostName;
}

function wordAndHost(text: string, names: NamesElsewhere | undefined): WordAndHost | undefined {
  const [, before, after] = /^([A-Za-z0-9-]+):([^:@]+)$/u.exec(text) ?? [];
  if (before !== undefined && after !== undefined) return wordAt(after, before, names);
  const split = splitHost(text);
  if (split !== undefined) return { word: split.address, host: split.host };
  const [, name, at] = /^([^@/]+)@([^@/]+)$/u.exec(text) ?? [];
  return name === undefined || at === undefined ? undefined : wordAt(name, at, names);
}

function wordAt(word: string, at: string, names: NamesElsewhere | undefined): WordAndHost | undefined {
  const host = at.toLowerCase();
  if (!isHostName(host)) return undefined;
  const isWord = word.includes("/")
    ? splitAddress(word).kind !== "other"
    : isAgentName(word.toLowerCase()) || host === names?.host || folded(word, host, names) !== undefined;
  return isWord ? { word, host } : undefined;
}

/** A host need not have said anything: then a word is an agent's name, and an id is a whole one. */
function addressThere(word: string, host: HostName, names: NamesElsewhere): Address {
  const { kind, rest } = splitAddress(word);
  const isPath = word.includes("/");
  if (isPath && kind !== "session") return word;
  const known = names.named(isPath ? rest : word.toLowerCase()).filter((one) => one.host === host);
  const agent = isPath ? undefined : known.find(({ address }) => splitAddress(address).kind === "agent");
  const [session, ...others] = known.filter(({ address }) => splitAddress(address).kind === "session");
  if (agent !== undefined) return agent.address;
  if (session !== undefined && others.length === 0) return session.address;
  return isPath ? word : (folded(word, host, names) ?? `agent/${word.toLowerCase()}`);
}

/** The agent there whose name is like this word; or its person, whom agents here know by that name. */
function folded(word: string, host: HostName, names: NamesElsewhere | undefined): Address | undefined {
  if (names?.isAdmitted(host) !== true) return undefined;
  const [agent, ...others] = alike(word, names.agentsOf(host));
  if (agent !== undefined) return others.length === 0 ? `agent/${agent}` : undefined;
  const person = names.personOf(host);
  return person !== undefined && alike(word, [person]).length > 0 ? `person/${person}` : undefined;
}

function foldedElsewhere(word: string, names: NamesElsewhere): readonly Elsewhere[] {
  return names
    .hosts()
    .flatMap((host) => alike(word, names.agentsOf(host)).map((name) => ({ address: `agent/${name}`, host })));
}

function alike(word: string, known: readonly string[]): readonly string[] {
  const wanted = foldedName(word);
  return wanted === "" ? [] : known.filter((name) => foldedName(name) === wanted);
}

/** `names`: undefined without a cluster. */
export function hostUnknown(host: HostName, names: NamesElsewhere | undefined): BellhopError {
  if (names === undefined) {
    return new BellhopError("host.unknown", {
      message: `There is no host "${host}": this Bellhop is in no cluster.`,
      next: 'Join one with "bellhop cluster join --nats URL --host NAME".',
    });
  }
  return new BellhopError("host.unknown", {
    message: `The host "${host}" is not admitted here.`,
    next: `${didYouMean(host, names.hosts())}See the hosts with "bellhop cluster hosts"; admit it with "bellhop cluster admit ${host} KEY", where KEY is what "bellhop cluster status" shows there.`,
  });
}

export function ambiguousElsewhere(who: string, candidates: readonly string[]): BellhopError {
  return new BellhopError("recipient.ambiguous", {
    message: `"${who}" could be any of: ${candidates.join(", ")}.`,
    next: 'Use one of these; "bellhop ls --all-hosts --all" shows who is where.',
    candidates,
  });
}

/** For everything that needs the program itself, its screen or its mailbox. */
export function runsElsewhere({ address, host }: Elsewhere): BellhopError {
  return new BellhopError("recipient.elsewhere", {
    message: `${address} is on ${host}; from here it can only be written to.`,
    next: `Do this on ${host}, or write to it with "bellhop send ${shownElsewhere({ address, host })} …". What went there from here: "bellhop queue ${hostMailbox(host)}" and "bellhop history ${hostMailbox(host)}".`,
  });
}

/** For what takes only an agent of this host. Undefined: no other host has one of this name. */
export function agentElsewhere(asked: string, names: NamesElsewhere | undefined): BellhopError | undefined {
  const having = names?.hosts().filter((host) => alike(asked, names.agentsOf(host)).length > 0) ?? [];
  const [first, ...others] = having;
  if (names === undefined || first === undefined) return undefined;
  const where = others.length === 0 ? first : `${having.slice(0, -1).join(", ")} and ${having.at(-1)}`;
  const [name = asked] = alike(asked, names.agentsOf(first));
  return new BellhopError("agent.unknown", {
    message: `There is no agent "${asked}" on ${names.host}; there is one on ${where}.`,
    next: `Do this there. From here it can be written to: "bellhop send ${first}:${name} …".`,
  });
}

/** Where it was looked for, to end a sentence: nothing without a cluster. */
export function whereLooked(names: NamesElsewhere | undefined): string {
  if (names === undefined) return "";
  const hosts = names.hosts();
  if (hosts.length === 0) return ` on ${names.host}, and no other host is admitted`;
  const named = hosts.slice(0, MOST_NAMED).join(", ");
  return ` on ${names.host}, ${named}${hosts.length > MOST_NAMED ? ` or ${hosts.length - MOST_NAMED} more hosts` : ""}`;
}

const MOST_NAMED = 5;
