/** What travels between hosts: parcels, several in a bag. The shapes are checked like those of any door. */
import { z } from "zod";
import { HOST_NAME_PATTERN } from "../../core/cluster/hosts.ts";
import { DELIVERY_ID_PATTERN, MESSAGE_ID_PATTERN } from "../../core/cluster/letter-ids.ts";
import { MOST_MOVED } from "../../core/cluster/moving.ts";
import { REFUSAL_REASONS } from "../../core/cluster/refusals.ts";
import { isCode, NO_DIALOG } from "../../core/desk/reply-text.ts";
import {
  DELIVERY_STATES,
  EVIDENCE,
  HOLD_REASONS,
  type Instant,
  SOURCES,
  TRANSPORTS,
} from "../../core/message.ts";
import { MOST_KEYS } from "../../core/text/key-names.ts";
import { duration, instant, json } from "../verbs/fields.ts";

const messageId = z.string().regex(MESSAGE_ID_PATTERN);
const deliveryId = z.string().regex(DELIVERY_ID_PATTERN);
const line = z.string().max(1_000);
/** How often it was sent by then. */
const attempt = z.int().min(1).max(1_000_000_000);

/** A message for somebody there. */
export const letterSchema = z.strictObject({
  kind: z.literal("letter"),
  /** The delivery on the host that sends it: each is taken once. */
  delivery: deliveryId,
  message: z.strictObject({
    id: messageId,
    shortId: z.string().regex(/^[a-z0-9]{6}$/u),
    /** With the host, unless it comes from a path. */
    from: z.string().max(300),
    to: z.string().max(300),
    body: z.string(),
    form: z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("text") }),
      z.strictObject({
        kind: z.literal("raw"),
        keys: z.array(z.string().max(40)).max(MOST_KEYS),
        /** The code of the one dialog there into which it may be typed; `none`: into no dialog, and nothing else. */
        dialog: z
          .string()
          .refine((dialog) => dialog === NO_DIALOG || isCode(dialog))
          .exactOptional(),
      }),
    ]),
    priority: z.enum(["interrupt", "normal", "idle-first", "idle"]),
    source: z.enum(SOURCES),
    command: z.string().max(100).optional(),
    payload: json.optional(),
    channel: z.string().max(100).optional(),
    externalId: z.string().max(300).optional(),
    replyTo: messageId.optional(),
    hops: z.int().min(0).max(10_000),
  }),
  /** How long it was on the host that sends it before it went into this bag. */
  waitedMs: duration.optional(),
  /** How long it may still wait. */
  timeoutMs: duration.optional(),
  require: z.enum(EVIDENCE).optional(),
  atMostOnce: z.literal(true).optional(),
  possibleDuplicate: z.literal(true).optional(),
  anyWayIn: z.literal(true).optional(),
  /**
   * Keeps the order although bags get lost. Of a bag's letters the first names the last one sent before it of which its
   * host has heard nothing. Whoever does not know that one takes no letter of the bag, and says that it is missing.
   */
  after: z.strictObject({ delivery: deliveryId, attempt }).optional(),
});
export type Letter = z.infer<typeof letterSchema>;

const toldSchema = z.object({
  kind: z.literal("news"),
  delivery: deliveryId,
  /** Increasing with the news of this delivery, by the clock: an older one that comes late is not heeded. */
  number: instant,
  state: z.enum(DELIVERY_STATES).catch("delivering"),
  hold: z.object({ reason: z.enum(HOLD_REASONS).catch("unknown"), release: line }).optional(),
  transport: z.enum(TRANSPORTS).optional().catch(undefined),
  evidence: z.enum(EVIDENCE).optional().catch(undefined),
  possibleDuplicate: z.literal(true).optional(),
  /** That host has forgotten the message: nothing follows. */
  isLast: z.literal(true).optional().catch(undefined),
  /** For people: it decides nothing. */
  note: line.optional(),
  /** It was taken there, whatever became of it since. */
  taken: z.literal(true).optional().catch(undefined),
  /** It was taken there, and is a dead letter there: whoever sent it was told nothing of that yet. */
  unmatched: z.literal(true).optional().catch(undefined),
  /** It was not taken there: whoever sent it was told nothing of that yet. */
  why: z.enum(REFUSAL_REASONS).optional().catch("other"),
  /** It waited there for agents that moved to other hosts, such as `agent/coder@box`: it is to follow them. */
  moved: z.array(z.string().max(300)).max(MOST_MOVED).optional().catch(undefined),
});

/**
 * What became of a letter, for the host that sent it. Whoever told it does not tell it again: what a newer host says
 * counts as far as it is understood. But whether it was taken must be said: whoever does not say it is asked again.
 */
export const newsSchema = toldSchema.refine(({ taken, why }) => taken === true || why !== undefined);
export type News = z.infer<typeof newsSchema>;

/** Somebody cancelled it: it is not to be delivered, if that is still possible. News answer it. */
export const withdrawalSchema = z.strictObject({
  kind: z.literal("withdrawal"),
  delivery: deliveryId,
  because: line,
});

/** Nothing was heard of these for long: news or `missing` answer it. */
export const enquirySchema = z.strictObject({
  kind: z.literal("enquiry"),
  deliveries: z.array(deliveryId).min(1).max(500),
  /** The greatest number of their news that was heeded: the clock that numbers the next may be behind that. */
  heeded: instant.optional(),
});
export type Enquiry = z.infer<typeof enquirySchema>;
/** A delivery that was enquired for, or after which others came, never came: with the attempt that those named. */
export const missingSchema = z.strictObject({
  ...{ kind: z.literal("missing"), delivery: deliveryId },
  attempt: attempt.optional(),
});
export type Missing = z.infer<typeof missingSchema>;

export const parcelSchema = z.discriminatedUnion("kind", [
  letterSchema,
  newsSchema,
  withdrawalSchema,
  enquirySchema,
  missingSchema,
]);
export type Parcel = z.infer<typeof parcelSchema>;

export const BAG_LIMITS = { parcels: 500, bytes: 768 * 1024 } as const;

/** Each parcel is checked by itself: one that cannot be read does not keep the others from arriving. */
export const bagSchema = z.strictObject({
  from: z.string().regex(HOST_NAME_PATTERN),
  /** By the clock of its host; inside, where the engine cannot change it. */
  sentAt: instant,
  parcels: z.array(z.unknown()).max(BAG_LIMITS.parcels),
});
export type Bag = { readonly from: string; readonly sentAt: Instant; readonly parcels: readonly Parcel[] };

/** What a host says of itself, to all that know its key. */
export const announcementSchema = z.strictObject({
  host: z.string().regex(HOST_NAME_PATTERN),
  /** Increasing with every announcement of this host, also after a restart: by its clock, if that was not set back. */
  number: instant,
  version: z.string().max(40),
  agents: z
    .array(
      z.strictObject({
        name: z.string().max(64),
        program: z.string().max(40).optional(),
        state: z.string().max(20),
        sessions: z.array(z.string().max(16)).max(100),
      }),
    )
    .max(5_000),
  /** What is sent to an agent that is not among these may be taken too: there are more, or somebody subscribes to it. */
  othersToo: z.literal(true).optional(),
  person: z.string().max(100).optional(),
  /** Patterns that cover everything that somebody there subscribes to. */
  patterns: z.array(z.string().max(300)).max(500),
});
export type Announcement = z.infer<typeof announcementSchema>;
