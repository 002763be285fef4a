/** Fields that several requests share. */
import { z } from "zod";
import type { ErrorCode } from "../../core/errors.ts";
import { type Json, LIMITS } from "../../core/message.ts";
import { isWellFormed } from "../../core/text/sanitise.ts";
import { LONGEST_DURATION_MS } from "../../core/time/duration.ts";
import type { Checked } from "./verb.ts";

export const REQUEST_LIMITS = {
  addressCharacters: 1_024,
  nameCharacters: 256,
  idCharacters: 128,
  keyNameCharacters: 32,
  keys: 64,
  programSessions: 16,
  environmentEntries: 64,
  environmentCharacters: 8_192,
  waitMs: 366 * 24 * 3_600 * 1_000,
  variables: 2_000,
  /** For a command: the program and its arguments. No system accepts a longer word. */
  words: 10_000,
  wordCharacters: 131_071,
  historyEntries: 1_000,
  peekLines: 10_000,
  /** Of a person at a terminal, in one piece. */
  keysCharacters: 64 * 1024,
  cronCharacters: 128,
} as const;

/** Adds the answer's error code to a schema issue. */
export function refused(errorCode: ErrorCode, error: string) {
  return { params: { errorCode }, error };
}

export const HALF_A_CHARACTER = refused("message.invalid_utf8", "holds half a character (a lone surrogate)");

export const line = (max: number) => z.string().min(1).max(max).refine(isWellFormed, HALF_A_CHARACTER);

export const address = line(REQUEST_LIMITS.addressCharacters);
export const name = line(REQUEST_LIMITS.nameCharacters);
export const id = line(REQUEST_LIMITS.idCharacters);

export const eventName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "is not the name of an event");
export const programName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "is not the name of a program");
export const hookEnvironment = z
  .record(z.string().max(REQUEST_LIMITS.nameCharacters), z.string().max(REQUEST_LIMITS.environmentCharacters))
  .refine(
    (entries) => Object.keys(entries).length <= REQUEST_LIMITS.environmentEntries,
    "has too many entries",
  );

export const body = z
  .string()
  .refine(isWellFormed, HALF_A_CHARACTER)
  .refine(
    (text) => Buffer.byteLength(text) <= LIMITS.bodyBytes,
    refused("message.too_large", `is longer than ${LIMITS.bodyBytes} bytes`),
  );

export const isEmpty = (field: string) => ({ ...refused("message.empty", "is empty"), path: [field] });

/** Its depth was already checked when the bytes were parsed. */
export const json = z.custom<Json>((value) => value !== undefined);

/** The last millisecond that a calendar date can name. */
export const LATEST_INSTANT = 8_640_000_000_000_000;

export const duration = z.int().min(0).max(LONGEST_DURATION_MS);
export const instant = z.int().min(0).max(LATEST_INSTANT);
export const patience = z.int().min(0).max(REQUEST_LIMITS.waitMs);
export const limit = z.int().min(1).max(REQUEST_LIMITS.historyEntries);

export const timeWindow = z.strictObject({
  limit: limit.exactOptional(),
  fromTime: instant.exactOptional(),
  toTime: instant.exactOptional(),
});
export type TimeWindow = Checked<typeof timeWindow>;

/** The id that a request was started with, used to refer to it. */
export const reqId = z.union([z.string().max(REQUEST_LIMITS.idCharacters), z.number()]);

export const nothing = z.strictObject({});
