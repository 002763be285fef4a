export const UNIX_LIMITS = {
  connections: 512,
  /** Requests of one connection under way at once; further ones wait their turn. */
  inFlight: 1_024,
  /** A caller with nothing under way is disconnected after this long, or when another needs its place. */
  idleMs: 10 * 60_000,
  /** A line that has begun must end within this time. */
  lineMs: 30_000,
  /** A reader with more than this unread is disconnected. */
  backlogBytes: 4 * 1024 * 1024,
  /** With this much unread, no further request is started. */
  roomBytes: 1024 * 1024,
  /** Mailboxes that one connection may listen to. */
  listens: 1_024,
  /** Agents that one connection may follow: each is polled. */
  follows: 64,
  /** Requests for every route: one is enough. */
  routes: 8,
  /** Requests for everything: one is enough. */
  boards: 8,
  /** How often we check that a caller that has ended its side still listens. */
  probeMs: 10_000,
  /** Time for the last writes when the daemon stops. */
  farewellMs: 250,
} as const;
export type UnixLimits = { readonly [K in keyof typeof UNIX_LIMITS]: number };
