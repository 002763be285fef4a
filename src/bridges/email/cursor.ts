/**
 * How far a mailbox was read. A server counts its mails by UIDs, which are only valid together with the mailbox's
 * UIDVALIDITY. If that changes, nothing is known by number any more, but the last mails are known by their ids.
 */

export interface Cursor {
  readonly uidValidity: string;
  /** The highest UID that was read. */
  readonly uid: number;
  /** Digests of the last mails' Message-IDs, the newest last. Empty if the mailbox was empty at first. */
  readonly seen: readonly string[];
}

export const CURSOR_LIMITS = {
  seen: 40,
  /** How far back a renumbered mailbox is searched for a mail that is known. */
  searched: 200,
} as const;

/** Undefined for what was never written or cannot be read: then only what comes from now on is new. */
export function decodeCursor(text: string | undefined): Cursor | undefined {
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Partial<Record<keyof Cursor, unknown>> | null;
    const { uidValidity, uid, seen } = value ?? {};
    if (typeof uidValidity !== "string" || !Number.isSafeInteger(uid) || (uid as number) < 0)
      return undefined;
    if (!Array.isArray(seen) || !seen.every((item) => typeof item === "string")) return undefined;
    return { uidValidity, uid: uid as number, seen };
  } catch {
    return undefined;
  }
}

export function encodeCursor(cursor: Cursor): string {
  return JSON.stringify(cursor);
}

export function moved(cursor: Cursor, uid: number, seen: string | undefined): Cursor {
  return {
    uidValidity: cursor.uidValidity,
    uid: Math.max(uid, cursor.uid),
    seen: seen === undefined ? cursor.seen : [...cursor.seen, seen].slice(-CURSOR_LIMITS.seen),
  };
}

export interface Listed {
  readonly uid: number;
  /** Digest of its Message-ID, if it has one. */
  readonly id?: string;
}

/**
 * Where to go on in a renumbered mailbox: after the newest mail that is known. `lost` says that none was found among
 * those listed (the newest ones, in order), so that only what comes from now on is new.
 */
export function renumbered(
  before: Cursor,
  now: { readonly uidValidity: string; readonly newest: readonly Listed[]; readonly lastUid: number },
): { readonly cursor: Cursor; readonly lost: boolean } {
  const { uidValidity, newest, lastUid } = now;
  const known = newest.findLast(({ id }) => id !== undefined && before.seen.includes(id));
  if (known !== undefined) return { cursor: { uidValidity, uid: known.uid, seen: before.seen }, lost: false };
  const first = newest[0];
  // It was empty, and everything is still here to see.
  const isAllNew = before.seen.length === 0 && first !== undefined && newest.length < CURSOR_LIMITS.searched;
  if (isAllNew) return { cursor: { uidValidity, uid: first.uid - 1, seen: [] }, lost: false };
  return { cursor: firstCursor({ uidValidity, newest, lastUid }), lost: newest.length > 0 };
}

export function firstCursor(now: {
  readonly uidValidity: string;
  readonly newest: readonly Listed[];
  readonly lastUid: number;
}): Cursor {
  const seen = now.newest.flatMap(({ id }) => id ?? []).slice(-CURSOR_LIMITS.seen);
  return { uidValidity: now.uidValidity, uid: now.lastUid, seen };
}
