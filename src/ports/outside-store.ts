/** What the store knows of the world outside: where a message came from, what was said there, and what is owed. */
import type { Candidate } from "../core/desk/candidates.ts";
import type { DialogAnswer } from "../core/desk/dialog-answers.ts";
import type { Considered, Rule } from "../core/desk/resolve.ts";
import type { Address, AgentName, Instant, MessageId, SessionId } from "../core/message.ts";
import type { BridgeName, Kept } from "./bridge.ts";

/** Where an arrival came from, and how it can be answered there. */
export interface Origin {
  readonly messageId: MessageId;
  readonly bridge: BridgeName;
  readonly path: Address;
  /** The platform's id of the arrival; the same id is never accepted twice. */
  readonly externalId: string;
  /** The platform's id of the message to answer. */
  readonly answerable: string;
  readonly thread?: string;
  readonly topic?: string;
  readonly button?: string;
  /** The platform's ids of what it answers, the nearest first. */
  readonly answers: readonly string[];
}

/** A part of a message that was said outside; an answer to it is an answer to the message. */
export interface Spoken {
  readonly bridge: BridgeName;
  readonly externalId: string;
  readonly messageId: MessageId;
  readonly path: Address;
  /** Whose words, or about whom. */
  readonly agent?: AgentName;
  readonly session?: SessionId;
  readonly at: Instant;
}

/** What was said in a place where it comes back in: each cursor sees it once. */
export interface Echo {
  readonly id: string;
  readonly path: Address;
  readonly digest: string;
  readonly at: Instant;
  readonly eatenBy: readonly string[];
}

/** What the desk did with an arrival. */
export interface Relay {
  /** The arrival. */
  readonly messageId: MessageId;
  readonly at: Instant;
  /** Where it came from: confirmations go there. */
  readonly path: Address;
  readonly considered: readonly Considered[];
  readonly outcome: "relayed" | "asked" | "refused" | "answered-dialog" | "undone";
  readonly rule?: Rule;
  /** The message to the agent. */
  readonly relayed?: MessageId;
  /** The agent's label when it was relayed. */
  readonly label?: string;
  /** The tag beat the thread of this agent. */
  readonly despite?: AgentName;
  /** The person has not been told yet what became of it. */
  readonly owesConfirmation: boolean;
}

/** A numbered question to a person. */
export interface AskedBack {
  /** The message that asked. */
  readonly messageId: MessageId;
  readonly path: Address;
  readonly at: Instant;
  readonly text: string;
  readonly choices: readonly Candidate[];
}

/** The capability to answer one dialog, once. */
export interface DialogKey {
  readonly nonce: string;
  readonly session: SessionId;
  /** Fingerprint of the dialog. */
  readonly dialog: string;
  readonly answer: DialogAnswer;
  readonly madeAt: Instant;
  readonly usedAt?: Instant;
  readonly usedBy?: string;
}

/** Who keeps values across restarts. */
export type Keeper = BridgeName | "desk";

export interface OutsideReader {
  bridgeKept(bridge: Keeper, key: string): string | undefined;
  origin(messageId: MessageId): Origin | undefined;
  arrivedAs(bridge: BridgeName, externalId: string): MessageId | undefined;
  /** Whether anything that is still kept came from there. */
  hasArrivedFrom(path: Address): boolean;
  spoken(bridge: BridgeName, externalId: string): Spoken | undefined;
  spokenParts(messageId: MessageId): readonly Spoken[];
  /** Newest first. */
  spokenSince(path: Address, since: Instant): readonly Spoken[];
  relayOf(messageId: MessageId): Relay | undefined;
  /** The relay that sent this message to an agent. */
  relayedAs(messageId: MessageId): Relay | undefined;
  /** What an agent got last from there, and nobody has undone. */
  lastRelay(path: Address): Relay | undefined;
  /** Those whose delivery is decided, the oldest first; what still waits does not keep the others back. */
  owingConfirmation(limit: number): readonly Relay[];
  /** Newest first. */
  askedBack(path: Address, since: Instant): readonly AskedBack[];
  dialogKey(nonce: string): DialogKey | undefined;
  /** Those that nobody has used. */
  openDialogKeys(session: SessionId): readonly DialogKey[];
}

export interface OutsideWriter {
  keepForBridge(bridge: Keeper, kept: Kept): void;
  putOrigin(origin: Origin): void;
  putSpoken(spoken: Spoken): void;
  putEcho(echo: Echo): void;
  /** Whether this cursor has not yet seen something with this digest that was said there since; it has now. */
  eatEcho(path: Address, digest: string, cursor: string, since: Instant): boolean;
  putRelay(relay: Relay): void;
  putAskedBack(asked: AskedBack): void;
  removeAskedBack(messageId: MessageId): void;
  putDialogKey(key: DialogKey): void;
}
