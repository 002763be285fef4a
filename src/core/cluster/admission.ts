/** What a host may do here: it is admitted by its key, and has the rights that this host's config gives it. */
import { assertNever } from "../errors.ts";
import type { Priority, Source } from "../message.ts";
import { isFromOutside } from "../routing/route.ts";
import type { HostName } from "./hosts.ts";

/**
 * `send`: messages. `hear`: it gets what is published here on paths to which somebody there subscribes. `urgent`: its
 * messages may interrupt. `raw`: they may be keys. `person`: its person counts as one here too. `turns`: they start turns of
 * agents without a terminal. `move`: its agents may move here, with their subscriptions, and what went to them from here
 * follows them to other hosts. Nothing else can be started, and nothing stopped or read, from another host.
 */
export const HOST_RIGHTS = ["send", "hear", "urgent", "raw", "person", "turns", "move"] as const;
export type HostRight = (typeof HOST_RIGHTS)[number];
export const DEFAULT_HOST_RIGHTS: readonly HostRight[] = ["send", "hear"];

export interface AdmittedHost {
  readonly host: HostName;
  /** Its public key, as `bellhop cluster status` prints it there. */
  readonly key: string;
  readonly rights: readonly HostRight[];
}

export interface BroughtText {
  readonly priority: Priority;
  readonly isRaw: boolean;
  readonly source: Source;
}

/** Why this host may not send this, in a person's words, with what gives it the right. */
export function refusalOf(
  admitted: AdmittedHost,
  { priority, isRaw, source }: BroughtText,
): string | undefined {
  const { rights } = admitted;
  if (!rights.includes("send")) return lacks(admitted, "send messages", "send");
  if (isFromOutside(source) && (isRaw || priority === "interrupt"))
    return `a message from outside may not be ${isRaw ? "raw" : "an interrupt"}`;
  if (priority === "interrupt" && !rights.includes("urgent"))
    return lacks(admitted, "interrupt agents", "urgent");
  if (isRaw && !rights.includes("raw")) return lacks(admitted, "press keys", "raw");
  return undefined;
}

/** With what to type here, so that it may. */
export function lacks({ host, rights }: AdmittedHost, what: string, ...needed: HostRight[]): string {
  const wanted = HOST_RIGHTS.filter((one) => needed.includes(one) || rights.includes(one));
  return `${host} may not ${what} here: bellhop cluster admit ${host} KEY --rights ${wanted.join(",")}`;
}

/**
 * How a message counts here: what another host says of itself is believed only as far as it is trusted. What came to it
 * from outside is from outside here too.
 */
export function sourceHere({ rights }: AdmittedHost, source: Source): Source {
  switch (source) {
    case "agent":
    case "bellhop":
    case "script":
    case "bridge":
    case "webhook":
      return source;
    case "person":
      return rights.includes("person") ? source : "script";
    default:
      return assertNever(source);
  }
}
