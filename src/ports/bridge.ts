/** A way to people and systems outside. Each is loaded only if it is configured. */
import type { Address, Instant, Json, MessageId } from "../core/message.ts";
import type { BridgeName } from "../core/outside/places.ts";

export type { BridgeName };

/** What came from outside, before anybody has decided what becomes of it. */
export interface Arrival {
  /** The platform's own id of it. The same id twice is the same arrival. */
  readonly externalId: string;
  /** Where it was said: `telegram/{chat}`, `slack/{workspace}/#{channel}`, `email/{to}/{from}` … */
  readonly path: Address;
  /** Who said it, as the platform vouches for it: what allow-lists name. */
  readonly from: string;
  /** For people to read; the sender may have chosen it. */
  readonly fromName?: string;
  readonly text: string;
  /** The platform's id by which it can be answered, if that is another one. */
  readonly answerable?: string;
  /** The thread that an answer belongs to. */
  readonly thread?: string;
  /** The platform's ids of the messages that it answers, the nearest first. */
  readonly answers?: readonly string[];
  /** The agent whose topic it was said in, where a channel has one for each. */
  readonly topic?: string;
  /** The nonce of the button that was pressed. */
  readonly button?: string;
  readonly command?: string;
  readonly payload?: Json;
  /**
   * Set if what Bellhop says itself comes back in this way: the cursor that saw it. What Bellhop said in the same place
   * is dropped, once for each cursor.
   */
  readonly mayBeEcho?: string;
}

/**
 * What became of an arrival. It is on disk, unless it was refused; or it was `left`: only looked at, and to be left with
 * the platform. Acknowledge nothing then, and go on with the next.
 */
export type Taken = "accepted" | "repeated" | "echo" | "stranger" | "flood" | "empty" | "left";

/** Where a bridge hands in what it received, and keeps what it must know after a restart. */
export interface OutsideInbox {
  /**
   * Resolves once it is on disk: acknowledge only then. `keep` is written in the same transaction, and also if the
   * arrival was refused. Rejects if the store cannot write: then acknowledge nothing, and try again.
   */
  take(arrival: Arrival, keep?: Kept): Promise<Taken>;
  /** Without an arrival: moves a cursor over what is of no interest. */
  keep(kept: Kept): Promise<void>;
  kept(key: string): string | undefined;
  /** Health changed: it is shown by `status`. */
  changed(): void;
}

export type Kept = Readonly<Record<string, string | null>>;

/** A message that goes out. */
export interface Saying {
  readonly messageId: MessageId;
  readonly path: Address;
  /** Sanitised; the bridge splits it if the platform allows less. */
  readonly text: string;
  /** Whose words it is: an agent's name, or none if Bellhop itself speaks. */
  readonly agent?: string;
  /** The platform's id of the message it answers, and the thread that one belongs to. */
  readonly answers?: string;
  readonly thread?: string;
  /** Only where people can press one; elsewhere the text itself says with which code to answer. */
  readonly buttons?: readonly Button[];
  /** How many of its parts were said before an outage or a crash. */
  readonly partsSaid: number;
  /** The daemon died while it was being said, or its answer was lost: the next part may have been said already. */
  readonly perhapsSaid: boolean;
}

export interface Button {
  readonly label: string;
  /** At most 64 bytes. */
  readonly nonce: string;
}

export type SayingOutcome =
  | { readonly kind: "said" }
  /** It will never be accepted: what the platform answered. */
  | { readonly kind: "refused"; readonly why: string }
  /** The platform could not be reached, or asked to wait. */
  | {
      readonly kind: "outage";
      readonly why: string;
      readonly retryAfterMs?: number;
      /** The answer was lost: the part may have been said nevertheless. */
      readonly perhapsSaid?: true;
    };

export interface SayingContext {
  readonly signal: AbortSignal;
  /**
   * Call before each part, with the words as the platform gets them: what comes back in these words is an echo. Needed
   * only where Bellhop hears itself (`mayBeEcho`). Resolves once it is on disk; if it rejects, say nothing.
   */
  saying(text: string): Promise<void>;
  /** Call after each part, with the platform's id of it; an answer to that id is an answer to the message. */
  said(externalId: string): Promise<void>;
}

export interface BridgeHealth {
  readonly state: "connecting" | "connected" | "down" | "refused";
  readonly since: Instant;
  readonly error?: string;
}

export interface Bridge {
  readonly name: BridgeName;
  /** Whether it can say something there. */
  reaches(path: Address): boolean;
  /**
   * Starts receiving and keeps reconnecting. It never rejects: what a person must mend is in its health (`refused`,
   * with what to do).
   */
  open(inbox: OutsideInbox): Promise<void>;
  say(saying: Saying, context: SayingContext): Promise<SayingOutcome>;
  health(): BridgeHealth;
  /** What was received and is not on disk is not acknowledged. */
  close(): Promise<void>;
}
