import { splitAddress } from "../../core/address.ts";
import type { Address, AgentName, Hold, Instant } from "../../core/message.ts";
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
  if (kind === "agent") return { reason: "offline", since, release: whenAgentStarts(to, rest, read) };
  const session = kind === "session" ? read.session(rest) : undefined;
  return { reason: "offline", since, release: whenStarted(to, session === undefined ? [] : [session]) };
}

/** What was said last of each agent: while its sessions are the same, so are the words, and the text is stored as it is. */
const said = new Map<AgentName, { readonly past: readonly Session[]; readonly release: string }>();
const MOST_SAID = 4_096;

function whenAgentStarts(to: Address, agent: AgentName, read: StoreReader): string {
  const past = read.sessionsOf(agent, LAST_ENDED);
  const before = said.get(agent);
  if (before?.past === past) return before.release;
  const takeOver = ` (or another agent takes over its mailbox: bellhop name AGENT ${agent})`;
  const release = `${whenStarted(to, past)}${takeOver}`;
  if (said.size >= MOST_SAID) said.clear();
  said.set(agent, { past, release });
  return release;
}

function whenStarted(to: Address, past: readonly Session[]): string {
  const last = ranLast(past);
  if (last === undefined) return `when a program runs for ${to}`;
  const again = `when ${programShown(last) || "its program"} is started again`;
  if (last.command !== undefined || last.window !== undefined)
    return `${again}: bellhop restart ${last.agent}`;
  return `${again} in ${last.folder ?? "its folder"}`;
}

function ranLast(past: readonly Session[]): Session | undefined {
  if (past.length === 0) return undefined;
  return past.filter(hasRun).toSorted((a, b) => endOf(b) - endOf(a))[0];
}

function endOf({ exitedAt, lastActiveAt }: Session): Instant {
  return exitedAt ?? lastActiveAt;
}
