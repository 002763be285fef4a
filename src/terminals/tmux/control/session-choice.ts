/** Which tmux session a connection attaches to, so that a person notices as little as possible. Pure. */
export interface TmuxSession {
  readonly id: string;
  readonly name: string;
  readonly activeAtSeconds: number;
  /** Ends when its last client leaves. */
  readonly endsUnattached: boolean;
  readonly clients: number;
}

export const SESSION_FORMAT =
  "#{session_id}/#{session_activity}/#{destroy-unattached}/#{session_attached}/#{session_name}";

const ROW = /^(\$\d+)\/(\d+)\/([^/]*)\/(\d+)\/(.*)$/;

/** Undefined if any row is not understood: then nothing is known of the others either. */
export function parseSessions(rows: readonly string[]): readonly TmuxSession[] | undefined {
  const parsed = rows.map((row) => ROW.exec(row)).filter((parts) => parts !== null);
  if (parsed.length < rows.length) return undefined;
  return parsed.map(([, id = "", activeAt, endsUnattached = "", clients, name = ""]) => ({
    id,
    name,
    activeAtSeconds: Number(activeAt),
    endsUnattached: endsUnattached !== "0" && endsUnattached !== "off",
    clients: Number(clients),
  }));
}

/**
 * The one used last: attaching counts as use, and `tmux attach` without a name picks the session used last. A session
 * that ends with its last client is chosen only if there is no other, and only while a person is in it.
 */
export function chooseSession(sessions: readonly TmuxSession[]): TmuxSession | undefined {
  const lasting = sessions.filter((session) => !session.endsUnattached);
  const candidates = lasting.length > 0 ? lasting : sessions.filter((session) => session.clients > 0);
  return candidates.toSorted((a, b) => b.activeAtSeconds - a.activeAtSeconds)[0];
}

export const MOST_LISTENERS = 64;

/**
 * Sessions to listen to. The least recently used comes first, so that attaching preserves the order of use. Beyond the
 * maximum, the least recently used sessions are polled instead.
 */
export function listeningOrder(
  sessions: readonly TmuxSession[],
  wanted: ReadonlySet<string>,
): readonly string[] {
  return sessions
    .filter((session) => wanted.has(session.id) && !session.endsUnattached)
    .toSorted((a, b) => a.activeAtSeconds - b.activeAtSeconds)
    .slice(-MOST_LISTENERS)
    .map((session) => session.id);
}
