export const UNIX_LIMITS = {
  connections: 512,
  /** Requests of one connection under way at once; further ones wait their turn. */
  inFlight: 1_024,
  /** A caller with nothing under way is let go after this long, or when another needs its place. */
  idleMs: 10 * 60_000,
  /** A line that began must end within this. */
  lineMs: 30_000,
  /** A reader who lets this much pile up is gone. */
  backlogBytes: 4 * 1024 * 1024,
  /** With this much unread no further request is begun. */
  roomBytes: 1024 * 1024,
  /** Mailboxes that one connection may listen to. */
  listens: 1_024,
  /** Agents that one connection may follow: each is looked at again and again. */
  follows: 64,
  /** How often a caller that has ended its side is asked whether it still listens. */
  probeMs: 10_000,
  /** Time for the last words when the daemon stops. */
  farewellMs: 250,
} as const;
export type UnixLimits = { readonly [K in keyof typeof UNIX_LIMITS]: number };
