import { LIMITS } from "../../core/message.ts";

export const WS_LIMITS = {
  connections: 1_000,
  frameBytes: LIMITS.requestBytes,
  /** A stranger must show a token within this. */
  authMs: 5_000,
  /** How often each is asked whether it is there; one who has not answered by the next time is gone. */
  heartbeatMs: 30_000,
  /** Requests of one connection under way at once, and what they weigh together; further ones wait their turn. */
  inFlight: 1_024,
  inFlightBytes: 4 * 1024 * 1024,
  /** Mailboxes that one connection may listen to. */
  listens: 1_024,
  /** A reader who lets this much pile up is gone. */
  backlogBytes: 4 * 1024 * 1024,
  /** With this much unread no further request is begun. */
  roomBytes: 1024 * 1024,
  /** Read of a stranger before it has said one thing whole: a token is short. */
  strangerBytes: 16 * 1024,
  /** Pieces that one frame may come in, and frames that one message may. */
  pieces: 16 * 1024,
  /** Pings, and pongs that answer none of ours, between two heartbeats. */
  controls: 1_024,
  /** Time for the last words. */
  farewellMs: 500,
  /** Read, for the other side's own, after they were said. */
  farewellBytes: 64 * 1024,
} as const;
export type WsLimits = { readonly [K in keyof typeof WS_LIMITS]: number };
