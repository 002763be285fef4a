/**
 * What needs the person: questions, messages that may not have arrived, dead letters. The doors and `telling` ask it.
 * Read-only.
 */
import { splitAddress } from "../../core/address.ts";
import { type Attention, type AttentionFacts, attentionFrom, countedByKind } from "../../core/attention.ts";
import { hostOfMailbox, shownThere } from "../../core/cluster/hosts.ts";
import type { Address, Instant, SessionId } from "../../core/message.ts";
import type { Wants } from "../../wire/shapes/attention.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { unconfirmed } from "./unconfirmed.ts";

/** The newest of each kind that the store keeps. */
export const MOST_OF_A_KIND = 50;
/** Late evidence may still come, but not after a day. */
const UNCONFIRMED_FOR_MS = 24 * 3_600_000;
/** How long the end of a turn wants the person. */
export const TURN_END_LISTED_MS = 24 * 3_600_000;
const KEY_CHARACTERS = 6;

/** The end of a session's last turn, of which the person was told outside. */
export interface FinishedTurn {
  readonly id: string;
  readonly at: Instant;
  readonly said?: string;
}

type Counted = Wants & { readonly queued: number };

export interface AttentionParts extends Ground {
  overBudget(): AttentionFacts["overBudget"];
}

export class AttentionDesk {
  readonly #parts: AttentionParts;
  readonly #finishedTurns = new WeakMap<LiveSession, FinishedTurn>();
  #counted: Counted = { queued: 0, wants: {}, mail: 0 };

  constructor(parts: AttentionParts) {
    this.#parts = parts;
  }

  /** Its last turn is another one: `undefined` until the person was told of it. */
  lastTurn(session: LiveSession, finished: FinishedTurn | undefined): void {
    if (finished === undefined) this.#finishedTurns.delete(session);
    else this.#finishedTurns.set(session, finished);
  }

  list(): readonly Attention[] {
    return attentionFrom({
      asking: this.#asking(),
      finished: this.#finished(),
      unconfirmed: this.#unconfirmed(),
      overBudget: this.#parts.overBudget(),
      deadLetters: this.#deadLetters(),
    });
  }

  /** The same question from the same session always has the same id. */
  idOf({ record }: LiveSession, key: string): string {
    return `${record.id}.${this.#parts.context.digest(key).slice(0, KEY_CHARACTERS)}`;
  }

  wants(): Wants {
    return { wants: countedByKind(this.list()), mail: this.mail() };
  }

  /** For `status`, with how many are queued. If the database cannot be read, the last counts: `status` says so. */
  counted(): Counted {
    const { store } = this.#parts.context;
    try {
      this.#counted = { queued: store.read.countQueued(), ...this.wants() };
    } catch (error) {
      if (store.trouble() === undefined) throw error;
    }
    return this.#counted;
  }

  mail(): number {
    const { store, owner } = this.#parts.context;
    return store.read.countQueued([owner]);
  }

  #asking(): AttentionFacts["asking"] {
    return this.#parts.directory.all().flatMap((session) => {
      const { asks, record } = session;
      if (asks === undefined) return [];
      return [
        {
          id: this.idOf(session, asks.key),
          agent: record.agent,
          session: record.id,
          since: asks.since,
          asked: asks,
        },
      ];
    });
  }

  /** Until it works again, or asks something, or a day has passed. */
  #finished(): AttentionFacts["finished"] {
    const from = this.#parts.context.clock.now() - TURN_END_LISTED_MS;
    return this.#parts.directory.all().flatMap((session) => {
      const { asks, record } = session;
      const finished = this.#finishedTurns.get(session);
      if (finished === undefined || asks !== undefined || session.readiness().kind === "busy") return [];
      const { id, at, said } = finished;
      if (at < from) return [];
      return [{ id, agent: record.agent, session: record.id, since: at, said }];
    });
  }

  #unconfirmed(): AttentionFacts["unconfirmed"] {
    const { store, clock } = this.#parts.context;
    const recent = { from: clock.now() - UNCONFIRMED_FOR_MS, newestFirst: true };
    const items = unconfirmed(store.read, recent, MOST_OF_A_KIND);
    return items.map(({ delivery, message }) => {
      const session = delivery.attempt?.sessionId;
      return {
        id: delivery.id,
        shortId: message.shortId,
        agent: this.#agentOf(delivery.to, session, message.to),
        session,
        since: delivery.attempt?.startedAt ?? delivery.queuedAt,
      };
    });
  }

  #agentOf(to: Address, session: SessionId | undefined, addressed: Address): string {
    const host = hostOfMailbox(to);
    if (host !== undefined) return shownThere(addressed, host);
    const { kind, rest } = splitAddress(to);
    if (kind === "agent") return rest;
    const id = session ?? rest;
    return this.#parts.context.store.read.session(id)?.agent ?? rest;
  }

  #deadLetters(): AttentionFacts["deadLetters"] {
    const { read } = this.#parts.context.store;
    return read.unmatched({ limit: MOST_OF_A_KIND }).map(({ message, reason, at }) => ({
      shortId: message.shortId,
      from: message.from,
      to: message.to,
      reason,
      since: at,
    }));
  }
}
