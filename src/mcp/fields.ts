/** Arguments and results that several tools share. */
import { z } from "zod";
import { HOLD_REASONS, type Hold, type Instant, LIMITS } from "../core/message.ts";
import { isWellFormed, sanitiseLine } from "../core/text/sanitise.ts";
import { parseDuration } from "../core/time/duration.ts";
import { malformed } from "../wire/lines.ts";

export const TOO_LONG = {
  params: { errorCode: "message.too_large" },
  error: `is longer than ${LIMITS.bodyBytes / 1024} KiB`,
};

export const messageText = z
  .string()
  .refine(isWellFormed, {
    params: { errorCode: "message.invalid_utf8" },
    error: "holds half a character (a lone surrogate)",
  })
  .refine((text) => Buffer.byteLength(text) <= LIMITS.bodyBytes, TOO_LONG);

export const DURATION_FORMS = '"30s", "5m", "1h30m" or "2d"';

export function durationFrom(text: string, field: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw malformed(
    `"${sanitiseLine(text, 40)}" is not a length of time for "${field}".`,
    `Write it as ${DURATION_FORMS}, ten years at most.`,
  );
}

/** `#m7k2q9` as in a header, or without the `#`. */
export function messageIdFrom(text: string): string {
  return text.trim().replace(/^#/, "");
}

export const held = z.object({
  reason: z.enum(HOLD_REASONS),
  release: z.string().describe("what lets it go out"),
});

/** Why something waits, as a field that is omitted if it does not. */
export function heldBy(hold: Hold | undefined): { readonly held?: z.input<typeof held> } {
  return hold === undefined ? {} : { held: { reason: hold.reason, release: sanitiseLine(hold.release) } };
}

export function isoTime(at: Instant): string {
  return new Date(at).toISOString();
}
