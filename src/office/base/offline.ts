import { splitAddress } from "../../core/address.ts";
import type { Address, Hold, Instant } from "../../core/message.ts";
import { programShown, type Session } from "../../core/session.ts";
import { hasRun } from "../../core/successor.ts";
import type { StoreReader } from "../../ports/store.ts";

/** Enough to find the session that ran last. */
const LAST_ENDED = 8;

/** For mail that nobody is there to take: until when it waits, in a person's words, and what they can do. */
export function offlineHold(to: Address, since: Instant, shortId: string, read: StoreReader): Hold {
  const { kind, rest } = splitAddress(to);
  if (kind === "person")
    return { reason: "offline", since, release: `when the person reads it: bellhop read ${shortId}` };
  const takeOver =
    kind === "agent" ? ` (or another agent takes over its mailbox: bellhop name AGENT ${rest})` : "";
  return { reason: "offline", since, release: `${whenStarted(to, read)}${takeOver}` };
}

function whenStarted(to: Address, read: StoreReader): string {
  const last = ranLast(to, read);
  if (last === undefined) return `when a program runs for ${to}`;
  const again = `when ${programShown(last) || "its program"} is started again`;
  if (last.command !== undefined || last.window !== undefined)
    return `${again}: bellhop restart ${last.agent}`;
  return `${again} in ${last.folder ?? "its folder"}`;
}

function ranLast(to: Address, read: StoreReader): Session | undefined {
  const { kind, rest } = splitAddress(to);
  const session = kind === "session" ? read.session(rest) : undefined;
  const past = kind === "agent" ? read.sessionsOf(rest, LAST_ENDED) : session === undefined ? [] : [session];
  if (past.length === 0) return undefined;
  return past.filter(hasRun).toSorted((a, b) => endOf(b) - endOf(a))[0];
}

function endOf({ exitedAt, lastActiveAt }: Session): Instant {
  return exitedAt ?? lastActiveAt;
}
