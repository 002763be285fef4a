/** A browser that has logged in: it shows a cookie and a key, and neither alone is worth anything. Pure. */
import type { Instant } from "../message.ts";

export const WEB_SESSION = {
  secretBytes: 32,
  idleMs: 30 * 24 * 3_600_000,
  /** Its last use is written down this often at most. */
  seenEveryMs: 3_600_000,
  /** Beyond it, the one unused longest is logged out. */
  most: 64,
  browserCharacters: 200,
  hostCharacters: 255,
} as const;

export interface WebSession {
  readonly id: string;
  readonly cookieDigest: string;
  readonly keyDigest: string;
  /** What the browser calls itself. */
  readonly browser: string;
  /** The name by which it reached us. */
  readonly host: string;
  readonly loggedInAt: Instant;
  readonly seenAt: Instant;
}

/** If the clock was set back, a use in the future counts as one just now. */
export function isExpired({ seenAt }: Pick<WebSession, "seenAt">, now: Instant): boolean {
  return now - seenAt >= WEB_SESSION.idleMs;
}

export function isSeenAnew({ seenAt }: Pick<WebSession, "seenAt">, now: Instant): boolean {
  return Math.abs(now - seenAt) >= WEB_SESSION.seenEveryMs;
}

/** Who must go so that one more has room: all that have expired, and those unused longest. */
export function makesRoom(sessions: readonly WebSession[], now: Instant): readonly WebSession[] {
  const alive = sessions.filter((session) => !isExpired(session, now));
  const staying = alive.toSorted((a, b) => b.seenAt - a.seenAt).slice(0, WEB_SESSION.most - 1);
  return sessions.filter((session) => !staying.includes(session));
}
