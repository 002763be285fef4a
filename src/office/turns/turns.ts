/**
 * Turns without a terminal: a seat for every session that takes them, and the switch that stops them all. Woken like the
 * couriers; the doors ask it.
 */
import { sessionAddress } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Address, AgentName, SessionId } from "../../core/message.ts";
import { autoRunWords } from "../../core/turns/auto-run.ts";
import { OPEN_TURN_STATES, type Turn } from "../../core/turns/turn.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { TurnOwner } from "../../ports/turn-store.ts";
import type { ShownAutoRun } from "../../wire/shapes/turns.ts";
import type { AutoRunRequest, TriggerRequest } from "../../wire/verbs/turns.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { Places } from "./places.ts";
import { type SeatParts, TurnSeat } from "./seat.ts";
import type { OverBudget } from "./underway.ts";
import type { TurnViews } from "./views.ts";
import { namedAgent, namedSession, seatOf, sessionFor, takesTurns } from "./who.ts";

const OFF = "when automatic turns are on again: bellhop turns start";

export interface TurnsParts extends Omit<SeatParts, "obstacle" | "takePlace" | "hasLooked"> {
  readonly views: TurnViews;
  overBudget(): readonly OverBudget[];
}

export class Turns {
  readonly #parts: TurnsParts;
  readonly #seats = new Map<SessionId, TurnSeat>();
  /** Whether anybody was told to take turns while Bellhop ran; undefined: look. */
  #anySaid: boolean | undefined;
  readonly #places: Places<TurnSeat>;
  #open = false;

  constructor(parts: TurnsParts) {
    this.#parts = parts;
    this.#places = new Places(() => parts.context.settings().turns.atOnce);
  }

  /** Each seat first ends what an earlier daemon left running. */
  open(): void {
    this.#open = true;
    for (const { sessionId } of this.#openTurns()) this.#seatOf(sessionId).start();
    this.reconsider();
  }

  async close(): Promise<void> {
    this.#open = false;
    await Promise.all([...this.#seats.values()].map((seat) => seat.stop()));
  }

  wake(mailbox: Address): void {
    if (!this.#open || !this.takes(mailbox)) return;
    const session = sessionFor(this.#parts, mailbox);
    if (session === undefined) return;
    const seat = this.#seatOf(session.id);
    seat.start();
    seat.wake();
  }

  /** Its terminal has opened: a turn in the same conversation ends first, and what it had goes there. */
  async yieldTo({ record: { id, agent, programSessionId } }: LiveSession): Promise<void> {
    const isSame = (turn: Turn) =>
      turn.sessionId === id ||
      (turn.agent === agent &&
        programSessionId !== undefined &&
        this.#parts.directory.recordOf(turn.sessionId)?.programSessionId === programSessionId);
    const seats = this.#openTurns()
      .filter(isSame)
      .flatMap((turn) => this.#seats.get(turn.sessionId) ?? []);
    await Promise.all(seats.map((seat) => seat.yields("its terminal was opened")));
  }

  #seatOf(id: SessionId): TurnSeat {
    return this.#seats.get(id) ?? this.#seat(id);
  }

  /** Settings, terminals or agents changed. */
  reconsider(): void {
    for (const seat of this.#seats.values()) seat.reconsider();
    for (const mailbox of this.#parts.context.store.read.mailboxesWithQueued()) this.wake(mailbox);
  }

  /** Whether a turn without a terminal would take what comes into this mailbox. */
  takes(mailbox: Address): boolean {
    const { context, directory } = this.#parts;
    // Every message asks it: where nobody takes turns, nothing is looked up.
    this.#anySaid ??= context.store.read.autoRuns().some(({ words }) => words.enabled === true);
    if (!this.#anySaid && !context.settings().turns.any) return false;
    return directory.takerOfMailbox(mailbox) === undefined && takesTurns(this.#parts, mailbox);
  }

  /** Whether one of the agent's turns runs. */
  isBusy(agent: AgentName): boolean {
    return this.#openTurns().some((turn) => turn.agent === agent);
  }

  #seat(id: SessionId): TurnSeat {
    const parts: SeatParts = {
      ...this.#parts,
      obstacle: () => (this.#parts.context.store.read.turnSwitch()?.off === true ? OFF : undefined),
      takePlace: (seat, agent) => this.#takePlace(seat, agent),
      hasLooked: () => this.#places.offer(),
    };
    const seat = new TurnSeat(parts, id);
    this.#seats.set(id, seat);
    return seat;
  }

  #takePlace(seat: TurnSeat, agent: AgentName): (() => void) | undefined {
    const leave = this.#places.take(seat);
    if (leave === undefined) return undefined;
    return () => {
      leave();
      // It may have cost less than was reserved for it.
      for (const over of this.#parts.overBudget())
        if (over.agent === agent) this.#seats.get(over.session)?.wake();
    };
  }

  #openTurns(): readonly Turn[] {
    return this.#parts.context.store.read.turns({ states: OPEN_TURN_STATES });
  }

  /** With a message: it goes into the session's mailbox, and is not kept waiting. Without: what waits there goes now. */
  async trigger(request: TriggerRequest): Promise<{
    readonly agent: AgentName;
    readonly sessionId: SessionId;
    readonly messages: readonly string[];
  }> {
    const { context, directory, accept } = this.#parts;
    const { store } = context;
    const agent = namedAgent(this.#parts, request.agent);
    const session = namedSession(this.#parts, agent, request.session);
    const seat = seatOf(this.#parts, session.id);
    if (seat === undefined) throw this.#notHeadless(agent, session);
    const sender = directory.sender(request.claims, undefined);
    const accepted: string[] = [];
    for (const body of request.messages ?? []) {
      const { message } = await accept.accept(
        {
          to: sessionAddress(session.id),
          sender,
          body,
          form: { kind: "text" },
          priority: context.settings().defaultPriority,
        },
        {},
      );
      accepted.push(message.id);
    }
    const released = await store.write((tx) => {
      const waiting = tx
        .deliveries({ mailboxes: seat.mailboxes, states: ["queued"], forTerminals: true })
        .filter(({ message }) => accepted.length === 0 || accepted.includes(message.id));
      for (const { delivery } of waiting) tx.updateDelivery(delivery.id, { release: "now" });
      return waiting.map(({ message }) => message.id);
    });
    if (released.length === 0) {
      throw new BellhopError("message.empty", {
        message: `Nothing waits for "${agent}", and no message was given.`,
        next: `Give one: bellhop turn trigger ${agent} --message TEXT.`,
      });
    }
    this.wake(sessionAddress(session.id));
    return { agent, sessionId: session.id, messages: released };
  }

  #notHeadless(agent: AgentName, session: StoredSession): BellhopError {
    const isLive = this.#parts.directory.takerOfMailbox(sessionAddress(session.id)) !== undefined;
    return new BellhopError("agent.busy", {
      message: isLive
        ? `"${agent}" runs in a terminal: what is sent to it goes there.`
        : `"${agent}" takes no turns without a terminal.`,
      next: isLive
        ? `Send it: bellhop send ${agent} TEXT.`
        : `Turn it on: bellhop agent auto-run ${agent} on.`,
    });
  }

  async turnSwitch(on: boolean, by: string): Promise<{ readonly off: boolean; readonly stopped: number }> {
    const { store, clock } = this.#parts.context;
    await store.write((tx) => tx.putTurnSwitch({ off: !on, since: clock.now(), by }));
    const stopped = on
      ? 0
      : [...this.#seats.values()].filter((seat) => seat.interrupt("automatic turns were stopped")).length;
    this.reconsider();
    return { off: !on, stopped };
  }

  async say({ agent: asked, session: named, autoRun }: AutoRunRequest): Promise<ShownAutoRun> {
    const agent = namedAgent(this.#parts, asked);
    const session = named === undefined ? undefined : namedSession(this.#parts, agent, named);
    const owner: TurnOwner =
      session === undefined ? { kind: "agent", agent } : { kind: "session", sessionId: session.id };
    await this.#parts.context.store.write((tx) => {
      if (autoRun === null) return tx.sayAutoRun(owner, undefined);
      const said = typeof autoRun === "boolean" ? autoRunWords(autoRun) : autoRun;
      return tx.sayAutoRun(owner, { ...tx.autoRun(owner), ...said });
    });
    this.#anySaid = undefined;
    this.reconsider();
    return this.#parts.views.autoRunOf(agent, named);
  }
}
