/** Fields that several HTTP bodies share: snake_case, ISO times where the name says so, Unix milliseconds elsewhere. */
import { z } from "zod";
import { HOLD_REASONS, LIMITS } from "../../core/message.ts";
import { LADDER, PRIORITIES } from "../../core/priority.ts";
import { isWellFormed } from "../../core/text/sanitise.ts";
import { LONGEST_DURATION_MS } from "../../core/time/duration.ts";
import { HALF_A_CHARACTER, REQUEST_LIMITS, refused } from "../verbs/fields.ts";

export const word = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^\u0000]*$/, "holds a NUL character")
    .refine(isWellFormed, HALF_A_CHARACTER);

export const text = z
  .string()
  .refine(isWellFormed, HALF_A_CHARACTER)
  .refine((said) => said.trim() !== "", refused("message.empty", "is empty"))
  .refine(
    (said) => Buffer.byteLength(said) <= LIMITS.bodyBytes,
    refused("message.too_large", `is longer than ${LIMITS.bodyBytes} bytes`),
  )
  // JSON Schema counts characters, we count bytes: it can only state the looser limit.
  .meta({ minLength: 1, maxLength: LIMITS.bodyBytes });

export const who = word(REQUEST_LIMITS.addressCharacters).describe(
  "A session's id or a beginning of it that only one has, or an agent's name.",
);

export const messageWord = word(REQUEST_LIMITS.idCharacters).describe(
  "A message's id or short id, or a beginning that only one has.",
);

/** Absent, or `null`, as some languages write absent values. */
export const optional = <T extends z.ZodType>(field: T) => field.nullable().exactOptional();

export const seconds = z
  .number()
  .min(0)
  .max(LONGEST_DURATION_MS / 1_000);

export const idempotencyKey = word(REQUEST_LIMITS.nameCharacters);

/** The default comes first. Our own names and their aliases mean the same. */
export const DELIVERY_MODES = [
  "sequential",
  ...PRIORITIES.flatMap((priority) => [...LADDER[priority].aliases, priority]).filter(
    (name) => name !== "sequential",
  ),
] as const;
export const deliveryMode = z.enum(DELIVERY_MODES);

export const isoTime = z.iso.datetime().describe("ISO 8601, UTC.");
export const instant = z.int().min(0).describe("Unix milliseconds.");

const release = z.string().describe("What would release it, in a person's words.");
export const holdWithIsoTime = z.strictObject({
  reason: z.enum(HOLD_REASONS),
  since: isoTime,
  release,
});
export const hold = z.strictObject({ reason: z.enum(HOLD_REASONS), since: instant, release });

export const json = z.unknown().describe("Any JSON.");
