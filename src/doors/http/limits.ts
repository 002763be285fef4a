import { LIMITS } from "../../core/message.ts";

export const HTTP_LIMITS = {
  bodyBytes: LIMITS.requestBytes,
  headerBytes: 16 * 1024,
  /** Limit for callers who have authenticated; beyond it the newest is refused. */
  connections: 1_024,
  /** Limit for connections that have not authenticated; beyond it the oldest is dropped. */
  strangers: 256,
  headersMs: 5_000,
  /** From the first byte to the last of one request. */
  requestMs: 15_000,
  keepAliveMs: 10_000,
  /** How often slow requests are looked for. */
  sweepMs: 1_000,
} as const;
export type HttpLimits = { readonly [K in keyof typeof HTTP_LIMITS]: number };
