/** Who speaks in what another host brings: somebody or something there, never somebody here or on a third host. */
import { ADDRESS_LIMITS, isAgentName, parseAddress } from "../address.ts";
import { BellhopError } from "../errors.ts";
import type { Address } from "../message.ts";
import { hasWildcards, parsePattern } from "../routing/pattern.ts";
import { type HostName, isHostName } from "./hosts.ts";

/** The names that may follow each root; other paths are places outside, such as `slack/team/@U0ADA`. */
const NAMES: ReadonlyMap<string, (name: string) => boolean> = new Map([
  ["agent", isAgentName],
  ["session", (name: string) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u.test(name)],
  ["person", (name: string) => !name.includes("/")],
  ["program", (name: string) => !name.includes("/")],
  ["bellhop", (name: string) => /^(?:[a-z-]{1,40}|notices\/[a-z0-9-]{1,32})$/u.test(name)],
]);

/** As the other host is told who speaks. A place outside is named as it is: only its own host can answer there. */
export function speakerOf(from: Address, host: HostName): Address {
  const { root, name } = parts(from);
  return NAMES.get(root)?.(name) === true ? `${from}@${host}` : from;
}

/** As this host names it; undefined if a host that says so speaks for somebody else. */
export function speakerFrom(host: HostName, from: string): Address | undefined {
  const address = checked(from);
  if (address === undefined) return undefined;
  const { root, name } = parts(address);
  const isNamed = NAMES.get(root);
  if (isNamed === undefined) return checked(`program/${asOneName(address)}@${host}`);
  const suffix = `@${host}`;
  return name.endsWith(suffix) && isNamed(name.slice(0, -suffix.length)) ? address : undefined;
}

/** The host of who speaks; undefined if it is this one. */
export function hostOfSpeaker(from: Address): HostName | undefined {
  const { root, name } = parts(from);
  const at = name.lastIndexOf("@");
  const host = name.slice(at + 1);
  if (NAMES.get(root)?.(name.slice(0, Math.max(0, at))) !== true || at <= 0) return undefined;
  return isHostName(host) ? host : undefined;
}

const ABOUT_HOST = "bellhop/notices/";

/** Who tells a sender here what became of a message there: this Bellhop, but only on that host's word. */
export function noticesAbout(host: HostName): Address {
  return `${ABOUT_HOST}${host}`;
}

/** The host on whose word a message is here: that of who speaks, or of whom a notice brings news. */
export function hostBehind(from: Address): HostName | undefined {
  const speaking = hostOfSpeaker(from);
  if (speaking !== undefined || !from.startsWith(ABOUT_HOST)) return speaking;
  return from.slice(ABOUT_HOST.length) || undefined;
}

/**
 * Without an `@`, after which some programs complete a name: `laptop:coder`. A program says that it is one: it may be
 * called like the person.
 */
export function shownSpeaker(from: Address, host: HostName): string {
  const { root, name } = parts(from);
  const bare = name.slice(0, -host.length - 1);
  if (root === "bellhop") return `${host}:${root}`;
  return `${host}:${root === "program" ? `${root}/${bare}` : bare}`;
}

function parts(address: Address): { readonly root: string; readonly name: string } {
  const slash = address.indexOf("/");
  return { root: address.slice(0, Math.max(0, slash)), name: address.slice(slash + 1) };
}

function asOneName(path: Address): string {
  return path.replaceAll("/", ".").slice(0, ADDRESS_LIMITS.characters / 2);
}

function checked(text: string): Address | undefined {
  try {
    const { address } = parseAddress(text);
    return hasWildcards(parsePattern(address)) ? undefined : address;
  } catch (error) {
    if (error instanceof BellhopError) return undefined;
    throw error;
  }
}
