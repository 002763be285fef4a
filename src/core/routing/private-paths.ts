/** Which paths belong to somebody, and which to nobody: anyone may subscribe to those. Pure. */
import type { Address } from "../message.ts";
import { isPersonsPlace } from "../outside/acquaintances.ts";
import { isWildcard, parsePattern, patternMatches } from "./pattern.ts";

/** What is said there is said to someone. */
export const PRIVATE_ROOTS: ReadonlySet<string> = new Set([
  "agent",
  "session",
  "person",
  "bellhop",
  "program",
]);

/**
 * What is addressed to someone is theirs, and so is what is said in the person's own `channels`; a path such as
 * slack/team belongs to nobody.
 */
export function isNobodys(pattern: string, own: readonly Address[], channels: readonly Address[]): boolean {
  const { text, segments } = parsePattern(pattern);
  if (own.includes(text)) return true;
  if (coversChannel(text, channels)) return false;
  const [root = ""] = segments;
  return !isWildcard(root) && !PRIVATE_ROOTS.has(root);
}

/** Whether what is said on this path reaches the person in a channel of theirs, under whatever name of ours. */
export function isSaidToPerson(path: string, channels: readonly Address[]): boolean {
  return coversChannel(path, channels) || isPersonsPlace(path, channels);
}

function coversChannel(path: string, channels: readonly Address[]): boolean {
  return channels.some((channel) => patternMatches(path, channel));
}
