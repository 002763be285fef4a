import { splitAddress } from "../../core/address.ts";
import type { Address, Hold, Instant } from "../../core/message.ts";

/** Nobody is there to take it: until when, in a person's words. */
export function offlineHold(to: Address, since: Instant, shortId: string): Hold {
  const { kind, rest } = splitAddress(to);
  if (kind === "person")
    return { reason: "offline", since, release: `when the person reads it: bellhop read ${shortId}` };
  const takeOver =
    kind === "agent" ? ` (or another agent takes over its mailbox: bellhop name AGENT ${rest})` : "";
  return { reason: "offline", since, release: `when a program runs for ${to} again${takeOver}` };
}
