/** The facts and states that all other files use. A message never changes; its deliveries do. */

/** Unix milliseconds. */
export type Instant = number;

export type MessageId = string;
export type DeliveryId = string;
/** Eight random hex digits. */
export type SessionId = string;
export type AgentName = string;
/** A path such as `agent/coder`, `session/08bc57cf`, `person/dev`. */
export type Address = string;

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type Priority = "interrupt" | "normal" | "idle-first" | "idle";

/** Where a message came from, as the door saw it: a trust label, never the sender's own claim. */
export const SOURCES = ["person", "agent", "script", "bridge", "webhook", "bellhop"] as const;
export type Source = (typeof SOURCES)[number];

export type MessageForm =
  | { readonly kind: "text" }
  /** The text as it is, then these keys: no header, no sanitising, no added Enter. */
  | {
      readonly kind: "raw";
      readonly keys: readonly string[];
      /**
       * The dialog that was open when it was sent, by its fingerprint, or the one that the sender named, by its code: it may
       * be typed only into that one.
       */
      readonly dialog?: string;
    };

export interface Message {
  readonly id: MessageId;
  /** Six random letters and digits; in the header, so that hooks can name the message. */
  readonly shortId: string;
  readonly from: Address;
  readonly fromSession?: SessionId;
  readonly to: Address;
  readonly body: string;
  readonly form: MessageForm;
  readonly priority: Priority;
  readonly command?: string;
  readonly payload?: Json;
  readonly source: Source;
  /** The outside system it came from, such as `slack`, according to the client that brought it. */
  readonly channel?: string;
  readonly externalId?: string;
  readonly replyTo?: MessageId;
  readonly bound?: "explicit" | "implicit";
  /** How often agents answered each other before this message. */
  readonly hops: number;
  readonly createdAt: Instant;
  /** The file with the body, relative to the messages folder. */
  readonly file: string;
}

export const DELIVERY_STATES = [
  "queued",
  "delivering",
  "unconfirmed",
  "delivered",
  "read",
  "replied",
  "expired",
  "cancelled",
  "failed",
] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
export const ARRIVED_STATES = ["delivered", "read", "replied"] as const satisfies readonly DeliveryState[];

export const HOLD_REASONS = [
  "busy",
  "typing",
  "blocked",
  "attached",
  "paused",
  "suspended",
  "offline",
  "turn",
  "unknown",
] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

export interface Hold {
  readonly reason: HoldReason;
  readonly since: Instant;
  /** What would release it, in a person's words. */
  readonly release: string;
}

export const TRANSPORTS = [
  "native",
  "hook",
  "paste",
  "doorbell",
  "bridge",
  "receive",
  "headless",
  "host",
] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** Strongest first. */
export const EVIDENCE = ["submitted", "transcript", "queued-in-agent", "screen", "accepted"] as const;
export type Evidence = (typeof EVIDENCE)[number];

/** What a person decided about one delivery: nothing, skip the waiting, or hold it back. */
export type Release = "by-rule" | "now" | "withheld";

/** What the sender asked to be told about one delivery and has not been told yet. */
export interface OwedNotices {
  readonly onDelivery: boolean;
  /** This long after it was delivered. */
  readonly afterMs?: number;
}

/** What a sender asks for each delivery of a message. */
export interface Wishes {
  /** Dropped if nobody took it by then; 0: never. */
  readonly timeoutMs?: number;
  readonly owes?: OwedNotices;
  readonly require?: Evidence;
  readonly atMostOnce?: boolean;
  /** A person's words need not be typed: `delivery.person_by: any` for this message. */
  readonly anyWayIn?: boolean;
}

export interface Delivery {
  readonly id: DeliveryId;
  readonly messageId: MessageId;
  /** The mailbox: `agent/<name>` or `session/<id>`. */
  readonly to: Address;
  /** Order of acceptance. */
  readonly sequence: number;
  /** Delivery order within its priority; equals `sequence` until a person moves it. */
  readonly position: number;
  readonly priority: Priority;
  readonly state: DeliveryState;
  readonly release: Release;
  readonly hold?: Hold;
  readonly transport?: Transport;
  readonly evidence?: Evidence;
  /** How often it went out, or may have: a try that was refused before anything was typed is not counted. */
  readonly attempts: number;
  readonly atMostOnce: boolean;
  readonly possibleDuplicate: boolean;
  readonly require?: Evidence;
  readonly anyWayIn?: boolean;
  readonly queuedAt: Instant;
  readonly timeoutAt?: Instant;
  /** The requested duration; `timeoutAt` moves if the clock is set. */
  readonly timeoutMs?: number;
  readonly owes?: OwedNotices;
  /** An agent's copy of what its sessions got: it can be received but is never typed. */
  readonly handledBy?: readonly SessionId[];
  readonly attempt?: Attempt;
}

/** What the daemon was about to do when it marked a delivery `delivering`; read by recovery. */
export interface Attempt {
  readonly sessionId: SessionId;
  readonly transport: Transport;
  /** What proves this attempt in a prompt: `#shortId]`, the ids of a short batch, or the name of a batch's file. */
  readonly token: string;
  /** The file that the prompt refers to in place of the text; the agent reads it there. */
  readonly file?: string;
  /** SHA-256 of the exact prompt. */
  readonly promptDigest: string;
  /** SHA-256 of the prompt without white space: to compare with a composer that contains only the prompt. */
  readonly composerDigest?: string;
  readonly startedAt: Instant;
  readonly wasBusy: boolean;
  /** The code of the hook whose answer carries it: the hook reports with it that the text is printed. */
  readonly answer?: string;
  /** The screen before the first byte: if it is the same after a crash, nothing was typed. */
  readonly screenDigest?: string;
  /** When the terminal had taken every key, including the submit: from then on an unchanged screen proves nothing. */
  readonly submittedAt?: Instant;
}

export interface Receipt {
  readonly at: Instant;
  readonly state: DeliveryState;
  readonly transport?: Transport;
  readonly evidence?: Evidence;
  readonly note?: string;
}

export const LIMITS = {
  bodyBytes: 256 * 1024,
  batch: 100,
  requestBytes: 1024 * 1024,
  jsonDepth: 64,
} as const;
