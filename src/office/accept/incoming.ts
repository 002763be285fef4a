/** What accept depends on, and a message on its way in: what the steps have produced so far. */
import type { HostName } from "../../core/cluster/hosts.ts";
import type { Address, Instant, Message, MessageId } from "../../core/message.ts";
import type { Pattern } from "../../core/routing/pattern.ts";
import type { Decision } from "../../core/routing/route.ts";
import type { StoreWriter } from "../../ports/store.ts";
import type { BrokerRoom } from "../broker/room.ts";
import type { Ground } from "../presence/ground.ts";
import type { AcceptedLog } from "./accepted-log.ts";
import type { Answered } from "./answering.ts";
import type { Filing } from "./filing.ts";
import type { Once } from "./idempotency.ts";
import type { LoopWatch } from "./loop-watch.ts";
import type { Accepted, Submission } from "./submission.ts";

/** What accept reports to the rest of the office, and asks it. */
export interface AcceptTold {
  /** The mailbox of the bridge that reaches this path. */
  outletFor(path: Address): Address | undefined;
  /** A message to this address is about to be committed, unless it is refused. */
  expect(to: Address): void;
  wake(mailbox: Address): void;
  /** A turn without a terminal takes what comes in there. */
  takesTurns(mailbox: Address): boolean;
  answered(message: MessageId): void;
  /** It is committed, and listeners have been told. */
  came(accepted: Accepted): void;
  /** The loop limit stopped it: agents kept answering each other. */
  looped(message: Message, reason: string): void;
  /** It has a deadline after which it is dropped. */
  expires(): void;
  deadlineIn(delayMs: number): Instant;
}

export interface NamedElsewhere extends Pick<Message, "id" | "shortId"> {
  readonly host: HostName;
}

export interface AcceptOptions {
  /** Also written in the same transaction: a timer, a cursor, a debt. If it throws, nothing is accepted. */
  readonly with?: (tx: StoreWriter, message: Message) => void;
  /** Done in the same transaction before it is routed: whoever gets it may only come with it. */
  readonly before?: (tx: StoreWriter) => void;
  /** The mailbox for what came from outside and nobody subscribes to. */
  readonly otherwise?: Address;
  /** The only mailbox it goes to, whoever subscribes to its path. */
  readonly only?: Address;
  /** Only out through the bridge: what the desk says to a person is not for who subscribes to the place. */
  readonly onlyOutside?: true;
  /** A person outside answers one dialog, by a key that the desk gave them: the one raw message from outside. */
  readonly answersDialog?: true;
  /** It came from another host, under the id that it has there. Here it gets another one if a third host was faster. */
  readonly as?: NamedElsewhere;
  /** How often agents answered each other before it, if its host says so: it is never fewer than is known here. */
  readonly hops?: number;
  /** It takes the place of a message that was accepted before: the limits on loops let that pass, one after the other. */
  readonly isCopy?: true;
  /** How long ago another host accepted it, by what that one says. */
  readonly agoMs?: number;
  /** Only for who is on this host: neither to other hosts nor out through a bridge; refused if there is nobody. */
  readonly localOnly?: true;
}

export interface AcceptParts extends Ground, Pick<BrokerRoom, "subscriptions" | "listeners"> {
  readonly filing: Filing;
  readonly told: AcceptTold;
  readonly loops: LoopWatch;
  readonly acceptedLog: AcceptedLog;
}

/** Each field is set by one step and read by later ones; a test checks the lists in `accept.ts` against this. */
export class Incoming {
  readonly parts: AcceptParts;
  /** As the sender requested it. */
  readonly asked: Submission;
  readonly options: AcceptOptions;
  path!: Pattern;
  once: Once | undefined;
  /** With the full path, and with the configured timeout if none was requested. */
  submission!: Submission;
  timeoutAt: Instant | undefined;
  tx!: StoreWriter;
  answered: Answered | undefined;
  decision!: Decision;
  hops: number | undefined;
  message!: Message;
  looped: { readonly stopped: ReturnType<LoopWatch["stopped"]> } | undefined;
  accepted!: Accepted;

  constructor(parts: AcceptParts, asked: Submission, options: AcceptOptions) {
    this.parts = parts;
    this.asked = asked;
    this.options = options;
  }
}
