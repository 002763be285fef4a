/**
 * The board: everything that a page shows, kept up to date while somebody reads it. The doors open readers; the store
 * and the rooms say who changed, and only those are looked up again, once for all readers. It changes nothing.
 *
 *   unread ─▶ filling ─▶ filled ─▶ (the last reader has left) unread
 */
import { agentAddress, splitAddress } from "../../core/address.ts";
import { BOARD_TOPICS, type BoardTopic } from "../../core/board.ts";
import { assertNever } from "../../core/errors.ts";
import type { Address, AgentName, Instant, MessageId } from "../../core/message.ts";
import type { ReadinessKind } from "../../core/readiness/readiness.ts";
import { OPEN_TURN_STATES } from "../../core/turns/turn.ts";
import type { Board, BoardAgent } from "../../wire/shapes/board.ts";
import type { BoardRequest } from "../../wire/verbs/board.ts";
import type { BoardReading } from "../../wire/verbs/streams.ts";
import { within } from "../base/deadline.ts";
import type { Touches } from "../base/touches.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { type BoardAgentParts, boardAgent } from "./board-agent.ts";
import { BoardAttention, type BoardAttentionParts } from "./board-attention.ts";
import { BoardReader, type Shown } from "./board-reader.ts";
import { shownComposer } from "./shown.ts";

/** Changes within this time are shown together. */
export const WINDOW_MS = 50;
/** For what no event tells: a draft that is typed, a bridge that is lost, a warning. */
const LOOK_EVERY_MS = 2_000;
/** Looked up in one window; the others wait for the next, so that nothing else waits for long. */
export const MOST_IN_A_WINDOW = 100;
/** Looked up at every look although nothing is known to have changed: should an event be missed, this heals it. */
const SWEPT_AT_A_LOOK = 20;
/** Another program may have locked the database: then the board is filled all the same, and healed later. */
const COMMITTED_WITHIN_MS = 1_000;

export interface BoardParts extends Omit<BoardAgentParts, "sinceOf" | "mailOf">, BoardAttentionParts {
  readonly touches: Touches;
  overBudget(): readonly unknown[];
  bridges(): NonNullable<Board["bridges"]>;
  broker(): NonNullable<Board["broker"]>;
  health(): NonNullable<Board["health"]>;
}

type OtherTopic = Exclude<BoardTopic, "agents">;

const OTHER_TOPICS = BOARD_TOPICS.filter((topic) => topic !== "agents");
/** What any change of a delivery, a session or a turn may change. */
const OFTEN: readonly OtherTopic[] = ["counts", "attention", "turns"];

interface Entry {
  readonly agent: BoardAgent;
  /** To see whether it differs. */
  readonly text: string;
}

export class BoardDesk {
  readonly #parts: BoardParts;
  readonly #agentParts: BoardAgentParts;
  readonly #attention: BoardAttention;
  readonly #readers = new Set<BoardReader>();
  readonly #agents = new Map<AgentName, Entry>();
  #topics: Omit<Board, "agents"> = {};
  readonly #touched = new Set<Address>();
  readonly #stale = new Set<OtherTopic>();
  readonly #stances = new Map<LiveSession, string>();
  readonly #since = new WeakMap<LiveSession, { readonly kind: ReadinessKind; readonly at: Instant }>();
  readonly #shown: Shown;
  /** By agent. It begins with the time, so that no value ever comes again after nobody read the board for a while. */
  readonly #mail = new Map<AgentName, number>();
  #mailBegan = 0;
  readonly #messages = new Set<MessageId>();
  readonly #mailboxes = new Set<Address>();
  readonly #letters = [this.#messages, this.#mailboxes];
  #swept: AgentName = "";
  #state: "unread" | "filling" | "filled" = "unread";
  #cancelWindow: (() => void) | undefined;
  #stop: () => void = () => {};

  constructor(parts: BoardParts) {
    this.#parts = parts;
    this.#agentParts = {
      ...parts,
      sinceOf: (session) => this.#sinceOf(session),
      mailOf: (agent) => this.#mail.get(agent) ?? this.#mailBegan,
    };
    this.#attention = new BoardAttention(parts, () => this.staled(["attention"]));
    const desk = this;
    this.#shown = {
      get isFilled() {
        return desk.#state === "filled";
      },
      agent: (name) => this.#agents.get(name)?.agent,
      all: () => this.#names().flatMap((name) => this.#agents.get(name)?.agent ?? []),
      get topics() {
        return desk.#topics;
      },
    };
  }

  /** The first frame is a snapshot, ready once every screen was looked at. */
  open({ topics = BOARD_TOPICS }: BoardRequest, ready: () => void): BoardReading {
    const reader = new BoardReader(this.#shown, topics, ready);
    this.#readers.add(reader);
    if (this.#state === "unread") this.#begin();
    return {
      take: () => reader.take(),
      close: () => {
        if (this.#readers.delete(reader) && this.#readers.size === 0) this.#end();
      },
    };
  }

  /** Whoever these addresses belong to may look different. */
  touched(addresses: Iterable<Address>): void {
    if (this.#state === "unread") return;
    for (const address of addresses) this.#touched.add(address);
    this.staled(OFTEN);
  }

  staled(topics: readonly OtherTopic[]): void {
    if (this.#state === "unread") return;
    for (const topic of topics) this.#stale.add(topic);
    this.#flushSoon();
  }

  /** It came, left, or does something else now. */
  sessionChanged(session: LiveSession): void {
    const { kind } = session.readiness();
    if (this.#since.get(session)?.kind !== kind)
      this.#since.set(session, { kind, at: this.#parts.context.clock.now() });
    this.touched([agentAddress(session.record.agent)]);
  }

  /** The settings changed. */
  everythingChanged(): void {
    this.touched([...this.#agents.keys()].map(agentAddress));
    this.staled(OTHER_TOPICS);
  }

  #begin(): void {
    let isOver = false;
    let cancel = (): void => {};
    const { clock } = this.#parts.context;
    const look = async (): Promise<void> => {
      await Promise.all(this.#parts.directory.all().map((session) => session.look())).catch(() => {});
      await this.#attention.learn();
      if (isOver) return;
      this.#looked();
      cancel = clock.after(LOOK_EVERY_MS, () => void look());
    };
    const unfollow = this.#parts.touches.follow((touched, mail) => {
      for (const message of mail.messages) this.#messages.add(message);
      for (const mailbox of mail.mailboxes) this.#mailboxes.add(mailbox);
      this.touched(touched);
    });
    this.#mailBegan = clock.now();
    const begun = this.#committed();
    this.#state = "filling";
    this.#stop = () => {
      isOver = true;
      cancel();
      unfollow();
    };
    void begun.then(look);
  }

  /** Changes that began before anybody followed them are told by nobody: they must be on disk before the board is filled. */
  async #committed(): Promise<void> {
    const { store, clock } = this.#parts.context;
    const all = store.write(() => {}).catch(() => {});
    await within(clock, COMMITTED_WITHIN_MS, all, undefined);
  }

  #end(): void {
    this.#stop();
    this.#cancelWindow?.();
    this.#cancelWindow = undefined;
    this.#state = "unread";
    this.#topics = {};
    for (const kept of [
      this.#agents,
      this.#touched,
      this.#stale,
      this.#stances,
      this.#mail,
      ...this.#letters,
    ])
      kept.clear();
  }

  #looked(): void {
    this.#compareStances();
    if (this.#state === "filled") {
      this.#sweep();
      this.staled(OTHER_TOPICS);
    } else if (this.#safely(() => this.#fill())) {
      this.#touched.clear();
      this.#state = "filled";
      this.#renewTopics(OTHER_TOPICS);
      for (const reader of this.#readers) reader.changed([], []);
    }
  }

  #fill(): void {
    const { read } = this.#parts.context.store;
    // Most have no mail, and there may be thousands: their mailboxes are not counted one by one.
    const filled = new Set(read.mailboxesWithQueued());
    this.#agents.clear();
    for (const agent of read.agents()) {
      const shown = boardAgent(agent, this.#agentParts, (mailbox) => filled.has(mailbox));
      this.#agents.set(agent.name, { agent: shown, text: JSON.stringify(shown) });
    }
  }

  /** Whose terminal shows something else than at the last look, without an event. */
  #compareStances(): void {
    const live = this.#parts.directory.all();
    for (const session of live) {
      const stance = stanceOf(session);
      if (this.#stances.get(session) === stance) continue;
      this.#stances.set(session, stance);
      this.sessionChanged(session);
    }
    if (this.#stances.size === live.length) return;
    for (const session of this.#stances.keys()) {
      if (this.#parts.directory.get(session.record.id) === session) continue;
      this.#stances.delete(session);
      this.sessionChanged(session);
    }
  }

  #sweep(): void {
    const names = this.#names();
    const next = names.filter((name) => name > this.#swept).slice(0, SWEPT_AT_A_LOOK);
    this.#swept = next.length < SWEPT_AT_A_LOOK ? "" : (next.at(-1) ?? "");
    for (const name of next) this.#touched.add(agentAddress(name));
  }

  #flushSoon(): void {
    if (this.#state !== "filled" || this.#cancelWindow !== undefined) return;
    this.#cancelWindow = this.#parts.context.clock.after(WINDOW_MS, () => this.#flush());
  }

  #flush(): void {
    this.#cancelWindow = undefined;
    const changed: AgentName[] = [];
    this.#safely(() => this.#countMail());
    const isDone = this.#safely(() => this.#renewAgents(changed));
    const stale = [...this.#stale];
    this.#stale.clear();
    const topics = this.#renewTopics(stale);
    for (const reader of this.#readers) reader.changed(changed, topics);
    if (isDone && this.#touched.size > 0) this.#flushSoon();
  }

  /** If the database cannot be read now, what is left waits for the next look; `health` says so meanwhile. */
  #safely(work: () => void): boolean {
    const { log, store } = this.#parts.context;
    try {
      work();
      return true;
    } catch (cause) {
      if (store.trouble() === undefined) log.error("board.failed", { cause: String(cause) });
      return false;
    }
  }

  /** For whoever gets or sent what changed. A sender is known by the message alone. */
  #countMail(): void {
    if (this.#messages.size === 0) return;
    const { read } = this.#parts.context.store;
    const addresses = new Set(this.#mailboxes);
    for (const id of this.#messages) {
      const from = read.message(id)?.from;
      if (from !== undefined) addresses.add(from);
    }
    const owners = new Set([...addresses].flatMap((address) => this.#ownersOf(address)));
    for (const name of owners) {
      this.#mail.set(name, (this.#mail.get(name) ?? this.#mailBegan) + 1);
      this.#touched.add(agentAddress(name));
    }
    for (const kept of this.#letters) kept.clear();
  }

  #renewAgents(changed: AgentName[]): void {
    const seen = new Set<AgentName>();
    for (const address of this.#touched) {
      if (seen.size >= MOST_IN_A_WINDOW) return;
      for (const name of this.#ownersOf(address)) {
        if (seen.has(name)) continue;
        seen.add(name);
        if (this.#renew(name)) changed.push(name);
      }
      this.#touched.delete(address);
    }
  }

  /** More than one if a conversation goes on under another agent, who takes the mail of both. */
  #ownersOf(address: Address): readonly AgentName[] {
    const { directory } = this.#parts;
    const { kind, rest } = splitAddress(address);
    if (kind === "agent") return [rest];
    if (kind !== "session") return [];
    const [own, taker] = [directory.recordOf(rest), directory.takerOfMailbox(address)?.record];
    return [own, taker].flatMap((record) => record?.agent ?? []);
  }

  #renew(name: AgentName): boolean {
    const agent = this.#parts.context.store.read.agent(name);
    if (agent === undefined) return this.#agents.delete(name);
    const shown = boardAgent(agent, this.#agentParts);
    const text = JSON.stringify(shown);
    if (this.#agents.get(name)?.text === text) return false;
    this.#agents.set(name, { agent: shown, text });
    return true;
  }

  /** Returns those that differ. */
  #renewTopics(stale: readonly OtherTopic[]): readonly OtherTopic[] {
    const before = this.#topics;
    for (const topic of stale)
      this.#safely(() => {
        this.#topics = { ...this.#topics, [topic]: this.#topicNow(topic) };
      });
    return stale.filter((topic) => JSON.stringify(this.#topics[topic]) !== JSON.stringify(before[topic]));
  }

  #topicNow(topic: OtherTopic): Board[OtherTopic] {
    const { context, attention, overBudget, bridges, broker, health } = this.#parts;
    const { read } = context.store;
    switch (topic) {
      case "counts":
        return attention.wants();
      case "attention":
        return this.#attention.list();
      case "turns":
        return {
          switch: read.turnSwitch() ?? { off: false },
          open: read.turns({ states: OPEN_TURN_STATES }).length,
          overBudget: overBudget().length,
        };
      case "bridges":
        return bridges();
      case "broker":
        return broker();
      case "health":
        return health();
      default:
        return assertNever(topic);
    }
  }

  #sinceOf(session: LiveSession): Instant {
    return this.#since.get(session)?.at ?? session.record.startedAt;
  }

  #names(): readonly AgentName[] {
    return [...this.#agents.keys()].toSorted((a, b) => (a < b ? -1 : 1));
  }
}

function stanceOf(session: LiveSession): string {
  const { asks, suspension, lastReading } = session;
  return [session.readiness().kind, asks?.key, asks?.since, suspension?.how, shownComposer(lastReading)].join(
    " ",
  );
}
