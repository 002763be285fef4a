/** What can be subscribed to on this host when there are others. Pure. */
import { BellhopError } from "../errors.ts";
import { sanitiseLine } from "../text/sanitise.ts";
import type { HostName } from "./hosts.ts";
import type { NamesElsewhere } from "./names.ts";

/** Without the name of this host. Throws for an address on another one: what is said to it does not pass through here. */
export function heardHere(pattern: string, names: NamesElsewhere | undefined): string {
  if (names === undefined) return pattern;
  const { host, address } = hostIn(pattern, names) ?? {};
  if (host === undefined || address === undefined) return pattern;
  if (host === names.host) return address;
  throw new BellhopError("recipient.elsewhere", {
    message: `"${sanitiseLine(pattern, 80)}" is an address on ${host}, and is heard only there.`,
    next: `Subscribe an agent there: on ${host}, "bellhop sub add AGENT ${sanitiseLine(address, 80)}". Other paths, such as team/news, are heard on all hosts.`,
  });
}

function hostIn(
  pattern: string,
  names: NamesElsewhere,
): { readonly host: HostName; readonly address: string } | undefined {
  const [, whole, at] = /^((?:agent|session|person)\/[^@]*)@([a-z0-9-]+)$/u.exec(pattern) ?? [];
  if (whole !== undefined && at !== undefined) return { host: at, address: whole };
  const [, before = "", after = ""] =
    /^([A-Za-z0-9-]+):([^/:]+|(?:agent|session|person)\/.+)$/u.exec(pattern) ?? [];
  const host = before.toLowerCase();
  // Of a host that nobody knows, it may be any path.
  if (host !== names.host && !names.isAdmitted(host)) return undefined;
  return { host, address: after.includes("/") ? after : `agent/${after.toLowerCase()}` };
}
