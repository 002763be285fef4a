/** What accept stands on, and a message on its way in: what each step has made of it so far. */
import type { Address, Instant, Message, MessageId } from "../../core/message.ts";
import type { Pattern } from "../../core/routing/pattern.ts";
import type { Decision } from "../../core/routing/route.ts";
import type { StoreWriter } from "../../ports/store.ts";
import type { BrokerRoom } from "../broker/room.ts";
import type { Ground } from "../presence/ground.ts";
import type { Answered } from "./answering.ts";
import type { Filing } from "./filing.ts";
import type { Once } from "./idempotency.ts";
import type { LoopWatch } from "./loop-watch.ts";
import type { Accepted, Submission } from "./submission.ts";

/** Who hears of what was accepted. */
export interface AcceptTold {
  wake(mailbox: Address): void;
  answered(message: MessageId): void;
  /** Committed, and told to whoever listens. */
  came(accepted: Accepted): void;
  /** Agents answered one another without end: it was parked. */
  looped(message: Message, reason: string): void;
  /** It will be dropped at a time. */
  expires(): void;
  deadlineIn(delayMs: number): Instant;
}

export interface AcceptOptions {
  /** What moves with it, in the same transaction: a timer, a cursor, a debt. Throwing accepts nothing. */
  readonly with?: (tx: StoreWriter, message: Message) => void;
}

export interface AcceptParts extends Ground, Pick<BrokerRoom, "subscriptions" | "listeners"> {
  readonly filing: Filing;
  readonly told: AcceptTold;
  readonly loops: LoopWatch;
}

/** Each field is made by one step and read by later ones: a test holds the lists in `accept.ts` to that. */
export class Incoming {
  readonly parts: AcceptParts;
  /** As it was asked for. */
  readonly asked: Submission;
  readonly options: AcceptOptions;
  path!: Pattern;
  once: Once | undefined;
  /** With its whole path, and its timeout as configured where none was asked for. */
  submission!: Submission;
  timeoutAt: Instant | undefined;
  tx!: StoreWriter;
  answered: Answered | undefined;
  decision!: Decision;
  message!: Message;
  looped: { readonly stopped: ReturnType<LoopWatch["stopped"]> } | undefined;
  accepted!: Accepted;

  constructor(parts: AcceptParts, asked: Submission, options: AcceptOptions) {
    this.parts = parts;
    this.asked = asked;
    this.options = options;
  }
}
