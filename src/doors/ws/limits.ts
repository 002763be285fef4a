import { LIMITS } from "../../core/message.ts";

export const WS_LIMITS = {
  connections: 1_000,
  frameBytes: LIMITS.requestBytes,
  /** An unauthenticated caller must show a token within this time. */
  authMs: 5_000,
  /** How often each caller is pinged; one that has not answered by the next ping is gone. */
  heartbeatMs: 30_000,
  /** How many requests of one connection may be under way at once, and their total weight; others wait their turn. */
  inFlight: 1_024,
  inFlightBytes: 4 * 1024 * 1024,
  /** Mailboxes that one connection may listen to. */
  listens: 1_024,
  /** Terminals that one connection may look at. */
  screens: 8,
  /** A reader with more than this unread is disconnected. */
  backlogBytes: 4 * 1024 * 1024,
  /** With this much unread, no further request is started. */
  roomBytes: 1024 * 1024,
  /** Read from an unauthenticated caller before its first complete message: a token is short. */
  strangerBytes: 16 * 1024,
  /** Chunks per frame, and frames per message. */
  pieces: 16 * 1024,
  /** Pings, and pongs that answer none of our pings, between two heartbeats. */
  controls: 1_024,
  /** Time for the closing handshake. */
  farewellMs: 500,
  /** How much is read while waiting for the other side's close frame. */
  farewellBytes: 64 * 1024,
} as const;
export type WsLimits = { readonly [K in keyof typeof WS_LIMITS]: number };
