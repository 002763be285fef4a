/** Names of hosts, the mailboxes from which messages go there, and addresses with a host. */
import { splitAddress } from "../address.ts";
import type { Address } from "../message.ts";

/** Lower-case letters, digits and hyphens: also one word of a subject in the engine. */
export type HostName = string;

export const HOST_NAME_PATTERN = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;
const MAILBOX_ROOT = "host/";

export function isHostName(text: string): text is HostName {
  return HOST_NAME_PATTERN.test(text);
}

/** What waits here goes to that host. */
export function hostMailbox(host: HostName): Address {
  return `${MAILBOX_ROOT}${host}`;
}

/** The host to which this mailbox leads. */
export function hostOfMailbox(mailbox: Address): HostName | undefined {
  if (!mailbox.startsWith(MAILBOX_ROOT)) return undefined;
  const host = mailbox.slice(MAILBOX_ROOT.length);
  return isHostName(host) ? host : undefined;
}

export interface Elsewhere {
  /** As that host knows it. */
  readonly address: Address;
  readonly host: HostName;
}

/** `agent/coder@laptop` and `laptop:coder` → `agent/coder` on `laptop`. Undefined for an address without a host. */
export function splitHost(address: Address): Elsewhere | undefined {
  const short = /^([a-z0-9-]+):([a-z0-9._-]+)$/u.exec(address);
  const [path, host] =
    short === null ? partsAt(address.lastIndexOf("@"), address) : [`agent/${short[2]}`, short[1] ?? ""];
  if (!isHostName(host)) return undefined;
  return splitAddress(path).kind === "other" ? undefined : { address: path, host };
}

function partsAt(at: number, address: Address): readonly [Address, string] {
  return at === -1 ? [address, ""] : [address.slice(0, at), address.slice(at + 1)];
}

/** An agent, a session or a person, as other hosts name it. */
export function withHost(address: Address, host: HostName): Address {
  return `${address}@${host}`;
}

/** Whom a message in this mailbox is for, if it is one of a host: an address with that host, or a path. */
export function recipientThere(mailbox: Address, addressed: Address): Address | undefined {
  const host = hostOfMailbox(mailbox);
  if (host === undefined) return undefined;
  const isWhole = splitHost(addressed) !== undefined || splitAddress(addressed).kind === "other";
  return isWhole ? addressed : withHost(addressed, host);
}

/** The same for a person, who knows no mailboxes of hosts. */
export function recipientInWords({
  to,
  recipient,
}: {
  readonly to: Address;
  readonly recipient?: Address;
}): string {
  if (recipient === undefined) return to;
  const host = hostOfMailbox(to);
  return host === undefined || splitHost(recipient) !== undefined ? recipient : `${recipient} on ${host}`;
}

/** A recipient there, as a person reads it: `laptop:coder`; a path, with the host that hears it. */
export function shownThere(to: Address, host: HostName): string {
  const there = splitHost(to) ?? { address: to, host };
  return splitAddress(there.address).kind === "other" ? `${to} on ${host}` : shownElsewhere(there);
}

/** As a person reads and writes it: `laptop:coder`. */
export function shownElsewhere({ address, host }: Elsewhere): string {
  const { kind, rest } = splitAddress(address);
  return kind === "agent" ? `${host}:${rest}` : withHost(address, host);
}
