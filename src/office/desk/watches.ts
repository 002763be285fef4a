/**
 * Watches: set, end, list and tell. Called by the use-cases and by the code that sees a turn end, a question appear or
 * a program exit. What was told is stored in the notice's transaction; a watch ends with either side. It never types.
 */
import { agentAddress, sessionAddress, splitAddress } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Address, Instant, SessionId } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { watchNotice } from "../../core/text/notice.ts";
import {
  isOnlyWatchWords,
  WATCH_EVENTS,
  WATCH_WORDS,
  type Watch,
  type WatchEvent,
  watchGreeting,
} from "../../core/watch.ts";
import type { StoreWriter } from "../../ports/store.ts";
import type { ShownWatch } from "../../wire/shapes/watches.ts";
import type { Claims } from "../../wire/verbs/claims.ts";
import type { WatchRequest } from "../../wire/verbs/watches.ts";
import type { Accept } from "../accept/accept.ts";
import type { SenderIdentity } from "../presence/directory.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { BELLHOP } from "../time/notices.ts";

export const MOST_WATCHES = 1_000;
const RECENT = 50;

export interface WatchesParts extends Ground {
  readonly accept: Accept;
}

export class Watches {
  readonly #parts: WatchesParts;

  constructor(parts: WatchesParts) {
    this.#parts = parts;
  }

  /** A second watch by the same watcher on the same session replaces the first; the session is not greeted again. */
  async set({ who, on, once, claims }: WatchRequest): Promise<ShownWatch> {
    const { context, directory } = this.#parts;
    const watcher = directory.sender(claims, undefined);
    if (!directory.knows(watcher.address)) throw nobody(watcher.address);
    const { record } = directory.resolveLive(who);
    if (record.id === watcher.sessionId || agentAddress(record.agent) === watcher.address) throw itself();
    const now = context.clock.now();
    const wish = {
      watcher: watcher.address,
      ...present({ watcherSession: watcher.sessionId }),
      watched: record.id,
      on: on === undefined ? WATCH_EVENTS : WATCH_EVENTS.filter((event) => on.includes(event)),
      once: once === true,
    };
    const before = context.store.read.watches({ watched: record.id }).find((one) => isBy(one, watcher));
    const watch: Watch =
      before === undefined
        ? { id: context.ids.shortId(), createdAt: now, turnsUntil: now, ...wish }
        : { ...before, ...wish };
    const put = (tx: StoreWriter): void => {
      if (before === undefined && tx.watches().length >= MOST_WATCHES) throw tooMany();
      tx.putWatch(watch);
    };
    const greeting = before === undefined ? this.#greeting(watcher) : undefined;
    if (greeting === undefined) await context.store.write(put);
    else await this.#say(sessionAddress(record.id), greeting, WATCH_WORDS.greeting, put);
    context.log.info("watch.set", { watch: watch.id, watcher: watch.watcher, watched: watch.watched });
    return this.#shown(watch);
  }

  async end(who: string, claims: Claims): Promise<readonly ShownWatch[]> {
    const { context, directory } = this.#parts;
    const watcher = directory.sender(claims, undefined);
    const meant = directory.aliases(directory.resolve(who));
    const ended = await context.store.write((tx) => {
      const own = tx
        .watches()
        .filter((watch) => isBy(watch, watcher) && meant.includes(sessionAddress(watch.watched)));
      for (const { id } of own) tx.removeWatch(id);
      return own;
    });
    if (ended.length > 0) return ended.map((watch) => this.#shown(watch));
    throw new BellhopError("watch.unknown", {
      message: `You do not watch "${who}".`,
      next: 'See what you watch with "bellhop watch".',
    });
  }

  /** The owner sees all watches; an agent sees those that it takes part in. */
  list(claims: Claims): readonly ShownWatch[] {
    const { context, directory } = this.#parts;
    const { address } = directory.sender(claims, undefined);
    return context.store.read
      .watches()
      .map((watch) => this.#shown(watch))
      .filter(
        ({ watcher, agent }) =>
          address === context.owner || watcher === address || agentAddress(agent) === address,
      );
  }

  async turnEnded({ record }: LiveSession, at: Instant): Promise<void> {
    for (const watch of this.#parts.context.store.read.watches({ watched: record.id })) {
      const isTold = watch.on.includes("turn-end") && !this.#isOwnDoing(watch, at);
      await this.#move(watch, isTold ? "turn-end" : undefined, (standing) =>
        at <= standing.turnsUntil ? undefined : { ...standing, turnsUntil: at },
      );
    }
  }

  async asks({ record, asks }: LiveSession): Promise<void> {
    if (asks === undefined) return;
    const question = this.#parts.context.digest(asks.key);
    for (const watch of this.#parts.context.store.read.watches({ watched: record.id })) {
      if (!watch.on.includes("blocked")) continue;
      await this.#move(
        watch,
        "blocked",
        (standing) =>
          standing.toldQuestion === question ? undefined : { ...standing, toldQuestion: question },
        asks.text,
      );
    }
  }

  /** If it asks the same again, that is told again. */
  async answered({ record }: LiveSession): Promise<void> {
    for (const watch of this.#parts.context.store.read.watches({ watched: record.id }))
      await this.#move(watch, undefined, ({ toldQuestion, ...standing }) =>
        toldQuestion === undefined ? undefined : standing,
      );
  }

  /** Ends the watches of which either side has gone, now or while the daemon was down. */
  async endAbandoned(): Promise<void> {
    for (const watch of this.#parts.context.store.read.watches()) {
      if (watch.watcherSession !== undefined && this.#isGone(watch.watcherSession))
        await this.#parts.context.store.write((tx) => tx.removeWatch(watch.id));
      else if (this.#isGone(watch.watched))
        await this.#move(watch, watch.on.includes("exit") ? "exit" : undefined, () => "over");
    }
  }

  #isGone(id: SessionId): boolean {
    const { context, directory } = this.#parts;
    if (directory.get(id) !== undefined) return false;
    const session = context.store.read.session(id);
    return session === undefined || session.exitedAt !== undefined;
  }

  /** The notice and the change of the watch are one transaction: a crash leaves both or neither. */
  async #move(
    watch: Watch,
    event: WatchEvent | undefined,
    change: (standing: Watch) => Watch | "over" | undefined,
    asked?: string,
  ): Promise<void> {
    const { context } = this.#parts;
    if (change(watch) === undefined) return;
    const settle = (tx: StoreWriter): void => {
      const standing = tx.watches({ watched: watch.watched }).find(({ id }) => id === watch.id);
      const next = standing === undefined ? undefined : change(standing);
      if (next === undefined) throw new ToldBefore();
      if (next === "over" || (event !== undefined && watch.once)) tx.removeWatch(watch.id);
      else tx.putWatch(next);
    };
    try {
      if (event === undefined) await context.store.write(settle);
      else {
        const agent = context.store.read.session(watch.watched)?.agent ?? watch.watched;
        const body = watchNotice({ name: agent, id: watch.watched }, event, asked);
        await this.#say(placeOf(watch), body, WATCH_WORDS.notice, settle);
      }
    } catch (error) {
      if (!(error instanceof ToldBefore)) throw error;
    }
  }

  async #say(to: Address, body: string, command: string, also: (tx: StoreWriter) => void): Promise<void> {
    const { accept, context } = this.#parts;
    const priority = context.settings().defaultPriority;
    await accept.accept(
      { to, sender: BELLHOP, body, form: { kind: "text" }, priority, command, timeoutMs: 0 },
      { with: also },
    );
  }

  /** A person's watch is not announced, nor is any if the owner has turned greetings off. */
  #greeting({ address, sessionId }: SenderIdentity): string | undefined {
    const { context, directory } = this.#parts;
    const { kind, rest } = splitAddress(address);
    if (!context.settings().greetWatched || kind !== "agent") return undefined;
    const session = sessionId === undefined ? undefined : context.store.read.session(sessionId);
    return session === undefined
      ? watchGreeting({ kind: "agent", name: rest })
      : watchGreeting({ kind: "session", id: session.id, headline: directory.headlineOf(session) });
  }

  /** The turn only answered what watches said: the greeting, or the notice of another watch. */
  #isOwnDoing({ watched, turnsUntil }: Watch, at: Instant): boolean {
    const { read } = this.#parts.context.store;
    const within = (time: Instant): boolean => time >= turnsUntil && time <= at;
    const messages = read
      .attemptedIn(watched, ["delivering", "unconfirmed", "delivered", "read", "replied"], RECENT)
      .filter(({ delivery }) => within(delivery.attempt?.startedAt ?? 0))
      .map(({ message: { source, command } }) => (source === "bellhop" ? command : undefined));
    const otherPrompts = read
      .hookEvents(watched, turnsUntil)
      .filter(
        ({ event, emittedAt, tokens }) =>
          event === "prompt-submitted" && within(emittedAt) && tokens.length === 0,
      ).length;
    return isOnlyWatchWords({ messages, otherPrompts });
  }

  #shown({ id, watcher, watcherSession, watched, on, once, createdAt }: Watch): ShownWatch {
    const { read } = this.#parts.context.store;
    const by = watcherSession === undefined ? undefined : read.session(watcherSession)?.agent;
    return {
      id,
      watcher: by === undefined ? watcher : agentAddress(by),
      ...present({ watcherSession }),
      agent: read.session(watched)?.agent ?? watched,
      session: watched,
      on,
      once,
      since: createdAt,
    };
  }
}

class ToldBefore extends Error {}

function isBy({ watcher, watcherSession }: Watch, { address, sessionId }: SenderIdentity): boolean {
  return watcherSession === undefined
    ? watcher === address && sessionId === undefined
    : watcherSession === sessionId;
}

function placeOf({ watcher, watcherSession }: Watch): Address {
  return watcherSession === undefined ? watcher : sessionAddress(watcherSession);
}

function nobody(address: Address): BellhopError {
  return new BellhopError("recipient.unknown", {
    message: `${address} has no mailbox, so nobody would hear of it.`,
    next: 'Watch as yourself or as an agent that "bellhop ls" shows.',
  });
}

function itself(): BellhopError {
  return new BellhopError("usage.invalid", {
    message: "An agent does not watch itself.",
    next: 'Name another: see who is there with "bellhop ls".',
  });
}

function tooMany(): BellhopError {
  return new BellhopError("watch.too_many", {
    message: `There are ${MOST_WATCHES} watches already.`,
    next: 'Look at them with "bellhop watch" and end some with "bellhop unwatch".',
  });
}
