/** What the store knows of other hosts: what was sent there, what came from there, and what they last said. */
import type { HostName } from "../core/cluster/hosts.ts";
import type { RefusalReason } from "../core/cluster/refusals.ts";
import type { Address, AgentName, DeliveryId, DeliveryState, Instant, MessageId } from "../core/message.ts";

/** A delivery of this host that went to another: written before it goes, so that it is known after a crash. */
export interface SentLetter {
  readonly delivery: DeliveryId;
  readonly host: HostName;
  readonly sentAt: Instant;
  /** When the engine had stored it; absent: it may have gone out, and goes again. */
  readonly storedAt?: Instant;
  readonly attempts: number;
  /** The key for which it was sealed last: another one cannot tell whether its host had the letter. */
  readonly sealedFor?: string;
  /** The number of the last news that was heeded; -1: none since it was sent. */
  readonly heeded: number;
  readonly heardAt?: Instant;
  /** Somebody wants it back, and why. */
  readonly withdrawn?: string;
  readonly withdrawnAt?: Instant;
  /** When the engine had stored that it is wanted back. */
  readonly askedBackAt?: Instant;
  /** If nothing is known of it by then, it is asked back, or given up. */
  readonly dueAt?: Instant;
  /** Since then nobody need look at it: a person gave it up, or its host said that it was not delivered. */
  readonly settledAt?: Instant;
  /** The other host says that it has taken it: with that, what it carries is there, too. */
  readonly isTaken?: boolean;
  /** The other host has not taken it. */
  readonly why?: RefusalReason;
  /** Agents for which it waited there and after which it was sent on, to where they are now. */
  readonly followed?: readonly AgentName[];
  /** The other host said what became of it, and nothing can follow. */
  readonly isOver: boolean;
}

/** A letter that came from another host, and what that host was told of it. */
export interface TakenLetter {
  readonly host: HostName;
  /** The delivery there. */
  readonly delivery: DeliveryId;
  readonly takenAt: Instant;
  /** Absent: it was not taken, and `why` and `refusal` are there. */
  readonly messageId?: MessageId;
  readonly why?: RefusalReason;
  /** The same for people. */
  readonly refusal?: string;
  /** Agents for which it waited here, or came too late, and that moved to other hosts: where they are now, as `agent/coder@box`. */
  readonly moved?: readonly Address[];
  /** What became of it, once its message is forgotten. */
  readonly endedAs?: DeliveryState;
  /** Greater than the number of each news that the engine has stored for that host. */
  readonly told: number;
  /** What the last of them said, to compare: news go out only if this differs from what is true. */
  readonly toldDigest?: string;
  readonly isOver: boolean;
}

/** What a host last said of itself. */
export interface KnownHost {
  readonly host: HostName;
  readonly heardAt: Instant;
  readonly number: number;
  /** The announcement, as JSON. */
  readonly announcement: string;
}

/** An agent that moved to another host; kept as long as messages are, and until somebody has its name here again. */
export interface DepartedAgent {
  readonly name: AgentName;
  readonly host: HostName;
  readonly leftAt: Instant;
}

/** Of those that are not over, by host, in the order in which they were first sent. */
export interface SentFilter {
  readonly host?: HostName;
  /** Only what the engine may not have. */
  readonly unstored?: boolean;
  /** Only what nobody wants back. */
  readonly notWithdrawn?: boolean;
  /** The last of the page before. */
  readonly after?: DeliveryId;
  readonly limit: number;
}

/** Of those that are not over and whose deliveries are `delivering`. */
export interface UnderWayFilter {
  readonly host: HostName;
  /** The last of the page before. */
  readonly after?: DeliveryId;
  readonly limit: number;
}

/** The engine has it, it is not over, and for long nothing was heard of it. */
export interface QuietLetter {
  readonly delivery: DeliveryId;
  readonly state: DeliveryState;
  /** Since then: as long after it was last heard of, or stored, as all before took; at least an hour, at most a day. */
  readonly quietAt: Instant;
}

/** First what has been quiet for longest, whatever became of it: to step over what is read would take as long as reading it. */
export interface QuietFilter {
  readonly host: HostName;
  /** Only what became quiet later than that, until `by`. */
  readonly since: Instant;
  readonly by: Instant;
  /** The last of the page before. */
  readonly after?: Pick<QuietLetter, "delivery" | "quietAt">;
  readonly limit: number;
}

/** Of those that are not over, by host, oldest first. */
export interface TakenFilter {
  readonly host?: HostName;
  /** The last of the page before. */
  readonly after?: { readonly host: HostName; readonly delivery: DeliveryId };
  readonly limit: number;
}

export interface ClusterReader {
  sentLetter(delivery: DeliveryId): SentLetter | undefined;
  sentLetters(filter: SentFilter): readonly SentLetter[];
  /** Of those that are not over: first the one that is due first. */
  lettersDue(by: Instant, limit: number): readonly SentLetter[];
  /**
   * The last one that is on its way to this host, that nobody wants back and of which nothing was heard; of those sent
   * before this one, if it is given.
   */
  lastUnheard(host: HostName, before?: DeliveryId): SentLetter | undefined;
  lettersUnderWay(filter: UnderWayFilter): readonly SentLetter[];
  quietLetters(filter: QuietFilter): readonly QuietLetter[];
  /** Somebody wants them back, and the engine does not have that; in the order in which they were first sent. */
  lettersToAskBack(host: HostName, limit: number): readonly SentLetter[];
  takenLetter(host: HostName, delivery: DeliveryId): TakenLetter | undefined;
  /** The letter with which this message came. */
  takenAs(messageId: MessageId): TakenLetter | undefined;
  takenLetters(filter: TakenFilter): readonly TakenLetter[];
  /** By name. */
  knownHosts(): readonly KnownHost[];
  departedAgent(name: AgentName): DepartedAgent | undefined;
}

export interface ClusterWriter extends ClusterReader {
  /** Its delivery must exist; it is forgotten with it. */
  putSentLetter(letter: SentLetter): void;
  /** It never went: it is sent as if for the first time. */
  removeSentLetter(delivery: DeliveryId): void;
  /** What went to this host, was not heard of and is not wanted back counts as not stored: it goes again. */
  unstoreUnheard(host: HostName): void;
  /** Known for thirty days longer than its message. When that is forgotten, it is over. */
  putTakenLetter(letter: TakenLetter): void;
  /** Of the letters of this host that were refused, or withdrawn before they came, only so many are known: the newest. */
  keepNewestRefused(host: HostName, most: number): void;
  /** What came from `former` came from `host`: that is its name now. False: there was nothing. */
  renameTaken(former: HostName, host: HostName): boolean;
  putKnownHost(host: KnownHost): void;
  /** There must be no agent of its name. */
  putDepartedAgent(departed: DepartedAgent): void;
}
