/** Looks things up and explains them. Every door asks it; read-only. */
import { splitAddress } from "../../core/address.ts";
import { relaySentences } from "../../core/desk/words.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Address, Delivery, Hold, Message, SessionId } from "../../core/message.ts";
import { DESK } from "../../core/outside/places.ts";
import { present } from "../../core/present.ts";
import { BRING_IT_BACK } from "../../core/readiness/standing.ts";
import { programShown } from "../../core/session.ts";
import type { Item, KeptDraft } from "../../ports/store.ts";
import type {
  ExplainResponse,
  QueuedDelivery,
  ShownDelivery,
  ShownMessage,
  ShowResponse,
} from "../../wire/shapes/messages.ts";
import type { ListedSession, ShownAgent, ShownDraft, ShownSession } from "../../wire/shapes/sessions.ts";
import { byOwner, outgoing } from "../delivery/outgoing.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { whatBecame, whyItWaits } from "./explanation.ts";
import {
  isStillKept,
  listedHold,
  queuedDelivery,
  sentDelivery,
  shownComposer,
  shownDelivery,
  shownDraft,
  shownMessage,
  shownTerminal,
} from "./shown.ts";
import { shownAgent, worthAsking } from "./shown-agent.ts";
import { unconfirmed } from "./unconfirmed.ts";

const MOST_LISTED = 500;
const REFUSED = ' What this host has refused is only on the host that sent it, and in "bellhop logs".';
/** So many held back by hand are passed over for the reason of the next. */
const MOST_PASSED_OVER = 50;

export class Queries {
  readonly #parts: Ground;

  constructor(parts: Ground) {
    this.#parts = parts;
  }

  /** A message by id, short id (with or without #), delivery id, or a unique prefix. */
  message(id: string): Message {
    const text = id.trim().replace(/^#/u, "");
    const found = text === "" ? [] : this.#parts.context.store.read.findMessages(text, 5);
    const [only, other] = found;
    if (only !== undefined && other === undefined) return only;
    if (only === undefined) {
      throw new BellhopError("message.unknown", {
        message: `No message matches "${id}".`,
        next: `List what waits with "bellhop queue"; give the id that "send" printed.${this.#parts.neighbours.current === undefined ? "" : REFUSED}`,
      });
    }
    throw new BellhopError("message.ambiguous", {
      message: `"${id}" matches several messages.`,
      next: "Give more characters of the id.",
      candidates: found.map(({ shortId }) => `#${shortId}`),
    });
  }

  /** By delivery id, or by a message that has only one delivery. */
  delivery(id: string): Item {
    const message = this.message(id);
    const all = this.#parts.context.store.read.deliveriesOf(message.id);
    const text = id.trim().replace(/^#/u, "");
    const delivery = all.find((one) => one.id.startsWith(text) && text.length >= 4) ?? all[0];
    if (delivery === undefined) {
      throw new BellhopError("message.unknown", {
        message: `#${message.shortId} has no recipient.`,
        next: "It is a dead letter; send it again.",
      });
    }
    return { delivery, message };
  }

  show(id: string): ShowResponse {
    const message = this.message(id);
    const { read } = this.#parts.context.store;
    return {
      message: this.shown(message),
      deliveries: read.deliveriesOf(message.id).map((delivery) => ({
        ...this.shownDelivery(delivery, message),
        receipts: read.receiptsOf(delivery.id),
      })),
    };
  }

  shownDelivery(delivery: Delivery, message: Message): Omit<ShownDelivery, "receipts"> {
    return shownDelivery(delivery, message, { interrupted: this.#wasInterrupting(delivery) });
  }

  /** Known only while the session lives, which is enough: the sender of an urgent message looks at once. */
  #wasInterrupting({ id, to, attempt }: Delivery): boolean {
    const session =
      attempt === undefined
        ? this.#parts.directory.takerOfMailbox(to)
        : this.#parts.directory.get(attempt.sessionId);
    return session?.stoppedFor.has(id) ?? false;
  }

  /** One mailbox owner as it is now, with its queue in delivery order. */
  session(who: string): ShownSession {
    const { read } = this.#parts.context.store;
    const address = this.#parts.directory.resolve(who);
    const live = this.#parts.directory.takerOfMailbox(address);
    const { kind, rest } = splitAddress(address);
    const past = kind === "session" ? read.session(rest) : undefined;
    const agent = live?.record.agent ?? past?.agent ?? (kind === "agent" ? rest : undefined);
    if (agent === undefined || read.agent(agent) === undefined) {
      throw new BellhopError("session.unknown", {
        message: `"${who}" is not an agent or a session.`,
        next: `See who is there with "bellhop ls".`,
      });
    }
    const mailboxes = live === undefined ? [address] : this.#parts.directory.mailboxesOf(live);
    const items = outgoing(read, mailboxes, MOST_LISTED);
    const record = live?.record ?? past;
    const sessionId = record?.id;
    const held = items.filter(({ delivery }) => delivery.hold !== undefined);
    const hold = listedHold(notWithheld(held)?.delivery.hold);
    return {
      ...present({ sessionId }),
      ...(record === undefined
        ? {}
        : { program: record.program, headline: this.#parts.directory.headlineOf(record) }),
      ...(record?.role === undefined ? {} : { role: record.role }),
      ...(record?.parent === undefined ? {} : { parent: record.parent }),
      ...present({ hold }),
      agent,
      readiness: live === undefined ? "exited" : live.readiness().kind,
      ...(live === undefined ? {} : { composer: shownComposer(live.lastReading) }),
      paused: read.agent(agent)?.paused ?? false,
      deliveries: items.map(queuedDelivery),
      drafts: read
        .keptDrafts({ ...present({ sessionId }) })
        .filter((draft) => draft.sessionId === sessionId && isStillKept(draft))
        .map((draft) => this.draft(draft)),
    };
  }

  shown(message: Message): ShownMessage {
    return shownMessage(message, this.#parts.context.files.absolute(message.file));
  }

  explain(id: string): ExplainResponse {
    const message = this.message(id);
    return {
      messageId: message.id,
      shortId: message.shortId,
      deliveries: this.#parts.context.store.read.deliveriesOf(message.id).map((delivery) => ({
        ...sentDelivery(delivery, message),
        because: [...this.#because(delivery, message.shortId), ...this.#relayed(delivery)],
      })),
    };
  }

  #because(delivery: Delivery, shortId: string): readonly string[] {
    if (delivery.state !== "queued")
      return whatBecame(delivery, this.#parts.context.store.read.receiptsOf(delivery.id).at(-1));
    const taker = this.#parts.directory.takerOfMailbox(delivery.to);
    return whyItWaits(
      delivery,
      shortId,
      taker && {
        sessionId: taker.record.id,
        readiness: taker.readiness(),
        reading: taker.lastReading,
        ...present({ unproven: taker.unproven }),
      },
      this.#parts.context.store.read.receiptsOf(delivery.id),
    );
  }

  /** What the desk did with an answer from outside, told with the arrival and with what the agent got. */
  #relayed({ to, messageId }: Delivery): readonly string[] {
    const { read } = this.#parts.context.store;
    const relay = to === DESK ? read.relayOf(messageId) : read.relayedAs(messageId);
    return relay === undefined ? [] : relaySentences(relay);
  }

  queue(who: string | undefined): {
    readonly deliveries: readonly QueuedDelivery[];
    readonly drafts: readonly ShownDraft[];
  } {
    const mailboxes = who === undefined ? undefined : this.mailboxesMeant(who);
    const items = byOwner(this.#open(mailboxes), (mailbox) => this.#owner(mailbox)).slice(0, MOST_LISTED);
    const sessionIds = mailboxes?.flatMap(
      (mailbox) => this.#parts.directory.takerOfMailbox(mailbox)?.record.id ?? [],
    );
    return { deliveries: items.map(queuedDelivery), drafts: this.#kept(sessionIds) };
  }

  /** For an agent, of all its sessions; or of one session. */
  drafts(who: string): readonly ShownDraft[] {
    return this.#kept(this.sessionsMeant(who));
  }

  /** Of an agent, all that it ever had; a name among them harms nothing. */
  sessionsMeant(who: string): readonly SessionId[] {
    return this.mailboxesMeant(who).map((address) => splitAddress(address).rest);
  }

  /** Includes drafts left to the person: nothing else will bring them back. */
  #kept(sessionIds: readonly SessionId[] | undefined): readonly ShownDraft[] {
    return this.#parts.context.store.read
      .keptDrafts({})
      .filter(isStillKept)
      .filter(({ sessionId }) => sessionIds === undefined || sessionIds.includes(sessionId))
      .map((draft) => this.draft(draft));
  }

  /** Unconfirmed, then delivering, then what waits, in delivery order. */
  #open(mailboxes: readonly Address[] | undefined): readonly Item[] {
    const { read } = this.#parts.context.store;
    const where = present({ mailboxes });
    return [
      ...unconfirmed(read, where, MOST_LISTED),
      ...read.deliveries({ states: ["delivering"], limit: MOST_LISTED, ...where }),
      ...outgoing(read, mailboxes ?? "all", MOST_LISTED),
    ];
  }

  /** Who would take from this mailbox: mailboxes with the same taker share one order. */
  #owner(mailbox: Address): string {
    const { kind, rest } = splitAddress(mailbox);
    const taker = this.#parts.directory.takerOfMailbox(mailbox);
    if (taker !== undefined) return `session/${taker.record.id}`;
    return kind === "session" ? `agent/${this.#parts.context.store.read.session(rest)?.agent}` : mailbox;
  }

  mailboxesMeant(who: string): readonly Address[] {
    const address = this.#parts.directory.resolve(who);
    return this.#parts.directory.aliases(address);
  }

  draft(draft: KeptDraft): ShownDraft {
    const session = this.#parts.directory.recordOf(draft.sessionId);
    return shownDraft(draft, session?.agent ?? "unknown");
  }

  sessions(): readonly ListedSession[] {
    const filled = new Set(this.#parts.context.store.read.mailboxesWithQueued());
    return this.#parts.directory
      .all()
      .map((session) => this.listed(session, (mailbox) => filled.has(mailbox)));
  }

  /** `isFilled`: in which mailboxes something may wait; the others are not queried. */
  listed(session: LiveSession, isFilled: (mailbox: Address) => boolean = () => true): ListedSession {
    const { directory } = this.#parts;
    const { record, identity } = session;
    const { queued, hold: first } = this.waiting(directory.mailboxesOf(session).filter(isFilled));
    const hold = suspendedHold(session) ?? first;
    return {
      id: record.id,
      agent: record.agent,
      label: record.label,
      program: programShown(record),
      terminal: shownTerminal(identity),
      readiness: session.readiness().kind,
      ...present({ hold }),
      queued,
      headline: directory.headlineOf(record),
      ...present({ role: record.role, unproven: session.unproven }),
      ...shownAsks(session),
    };
  }

  /** How much waits in these mailboxes, and why the first of it does that is not held back by hand. */
  waiting(mailboxes: readonly Address[]): { readonly queued: number; readonly hold?: Hold } {
    const { read } = this.#parts.context.store;
    const queued = mailboxes.length === 0 ? 0 : read.countQueued(mailboxes);
    if (queued === 0) return { queued };
    const looked = (limit: number) =>
      read.deliveries({ mailboxes, states: ["queued"], forTerminals: true, limit });
    const [first] = looked(1);
    const isPassedOver = first?.delivery.release === "withheld" && queued > 1;
    const told = isPassedOver ? notWithheld(looked(MOST_PASSED_OVER)) : first;
    return { queued, ...present({ hold: listedHold(told?.delivery.hold) }) };
  }

  agent(name: string): ShownAgent {
    const agent = this.#parts.context.store.read.agent(this.#parts.directory.nameHere(name));
    if (agent === undefined)
      throw this.#parts.directory.noAgent(name, 'List them with "bellhop agent list".');
    return shownAgent(agent, this.#parts);
  }

  agents(): readonly ShownAgent[] {
    const { read } = this.#parts.context.store;
    const worth = worthAsking(read);
    return read.agents().map((agent) => shownAgent(agent, this.#parts, worth));
  }
}

function shownAsks({ asks }: LiveSession): Pick<ListedSession, "asks"> {
  return asks === undefined ? {} : { asks: { kind: asks.kind, text: asks.text, since: asks.since } };
}

/** The first that goes out by itself, or the first of all. */
function notWithheld(items: readonly Item[]): Item | undefined {
  return items.find(({ delivery }) => delivery.release !== "withheld") ?? items[0];
}

/** Shown for the session itself, even if nothing waits for it. */
function suspendedHold({ suspension }: LiveSession): Hold | undefined {
  return suspension === undefined
    ? undefined
    : { reason: "suspended", since: suspension.since, release: BRING_IT_BACK };
}
