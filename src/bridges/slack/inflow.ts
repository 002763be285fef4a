/**
 * Hands in what the socket brings, one after the other, and acknowledges each only when it is on disk. What cannot be
 * written is tried again before anything after it; what is not acknowledged, Slack sends again.
 */
import type { WebClient } from "@slack/web-api";
import { type Backoff, backoffMs } from "../../core/time/backoff.ts";
import type { Arrival, Kept, OutsideInbox, Taken } from "../../ports/bridge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { rest } from "../../system/resting.ts";
import { unlessStopped } from "../reconnecting.ts";
import { callFailure } from "./call-failure.ts";
import { type Envelope, readEnvelope, type Self, type SlackMessage, type SlackPress } from "./events.ts";
import type { SlackHealth } from "./health.ts";
import type { Places } from "./places.ts";
import type { Seen } from "./seen.ts";
import type { Threads } from "./threads.ts";

export interface InflowOptions {
  readonly web: WebClient;
  readonly inbox: OutsideInbox;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly health: SlackHealth;
  readonly places: Places;
  readonly threads: Threads;
  readonly seen: Seen;
  readonly signal: AbortSignal;
}

export interface Incoming extends Envelope {
  readonly self: Self;
  /** The word for the workspace. */
  readonly workspace: string;
  readonly acknowledge: () => Promise<void>;
}

/** More than these are left to Slack, which sends them again. */
export const MOST_WAITING = 1_000;
const WHILE_UNWRITTEN: Backoff = { firstMs: 500, longestMs: 30_000 };
const WHILE_UNNAMED: Backoff = { firstMs: 500, longestMs: 2_000 };
const MOST_LOOKUPS = 3;

export class Inflow {
  readonly #options: InflowOptions;
  readonly #waiting: Incoming[] = [];
  /** Buttons that are being taken away. */
  readonly #courtesies = new Set<Promise<void>>();
  #draining: Promise<void> | undefined;
  #isHeld = false;
  #skipped = 0;

  constructor(options: InflowOptions) {
    this.#options = options;
  }

  push(incoming: Incoming): void {
    if (this.#options.signal.aborted) return;
    if (this.#waiting.length >= MOST_WAITING) {
      this.#options.log.warn("slack brings more than can be written", { waiting: MOST_WAITING });
      return;
    }
    this.#waiting.push(incoming);
    this.#begin();
  }

  /** What is pushed from now on waits: something older comes first. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    if (this.#waiting.length > 0 && !this.#options.signal.aborted) this.#begin();
  }

  /** While others are held. Nobody waits for an acknowledgement of these. */
  async bringInFirst(missed: readonly Omit<Incoming, "acknowledge">[]): Promise<void> {
    await this.#draining;
    for (const one of missed) if ((await this.#bringIn(one)) === "stopped") return;
  }

  /** Resolves when nothing is under way any more, once the signal has ended it. */
  async ended(): Promise<void> {
    await this.#draining;
    await Promise.all(this.#courtesies);
  }

  #begin(): void {
    if (this.#isHeld) return;
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = undefined;
    });
  }

  async #drain(): Promise<void> {
    const { signal } = this.#options;
    const isStopped = () => signal.aborted || this.#isHeld;
    for (let next = this.#waiting[0]; next !== undefined && !isStopped(); next = this.#waiting[0]) {
      const became = await this.#bringIn(next);
      if (became === "stopped") return;
      this.#waiting.shift();
      if (became === "left") continue;
      // The connection may have ended meanwhile: Slack sends it again, and it is known then.
      await next.acknowledge().catch(() => {});
    }
    if (this.#skipped > 0) this.#options.log.info("slack skips envelopes", { count: this.#skipped });
    this.#skipped = 0;
  }

  /** Until it is on disk, or until the bridge is closed. */
  async #bringIn(incoming: Omit<Incoming, "acknowledge">): Promise<"done" | "left" | "stopped"> {
    const { clock, health, log, random, signal } = this.#options;
    const ready = await this.#prepare(incoming);
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        const taken = await unlessStopped(ready(), signal);
        if (health.writes(true)) log.info("slack writes again");
        return taken === "left" ? "left" : "done";
      } catch (cause) {
        if (signal.aborted) break;
        if (health.writes(false)) log.warn("slack cannot write", { why: String(cause) });
        await rest(clock, backoffMs(WHILE_UNWRITTEN, attempt, random()), signal);
      }
    }
    return "stopped";
  }

  /** Looks up what it needs to know of Slack; what it returns only writes. */
  async #prepare(incoming: Omit<Incoming, "acknowledge">): Promise<() => Promise<unknown>> {
    const { inbox, places } = this.#options;
    const reading = readEnvelope(incoming, incoming.self);
    switch (reading.kind) {
      case "message": {
        const { arrival, keep } = await this.#arrivalOf(reading.message, incoming.workspace);
        const { channel, ts } = reading.message;
        return () => inbox.take(arrival, { ...keep, ...this.#options.seen.after(channel, ts) });
      }
      case "press": {
        const { press } = reading;
        const { arrival, keep } = await this.#pressOf(press, incoming.workspace);
        return async () => this.#takeButtonsAway(press, await inbox.take(arrival, keep));
      }
      case "renamed": {
        const keep = places.renamed(reading.channel, reading.name);
        return async () => (Object.keys(keep).length === 0 ? undefined : inbox.keep(keep));
      }
      case "other":
        this.#skipped += 1;
        return async () => undefined;
    }
  }

  async #arrivalOf(message: SlackMessage, workspace: string): Promise<Handed> {
    const { channel, ts, threadTs, from, text } = message;
    const { path, keep } = await this.#placeOf(message, workspace);
    const fromName = message.fromName ?? (await this.#options.places.personNamed(from));
    const arrival: Arrival = {
      // The same for a message and for the mention in it, which arrive both.
      externalId: `${channel}/${ts}`,
      path,
      from,
      ...(fromName === undefined ? {} : { fromName }),
      text,
      thread: threadTs ?? ts,
      ...(threadTs === undefined ? {} : { answers: this.#options.threads.answeredIn(channel, threadTs) }),
    };
    return { arrival, keep };
  }

  async #pressOf(press: SlackPress, workspace: string): Promise<Handed> {
    const { channel, ts, threadTs, from, fromName, text, nonce, actionTs } = press;
    const { path, keep } = await this.#placeOf(press, workspace);
    const arrival: Arrival = {
      externalId: `${channel}/${ts}/button/${actionTs}`,
      path,
      from,
      ...(fromName === undefined ? {} : { fromName }),
      text,
      answerable: `${channel}/${ts}`,
      thread: threadTs ?? ts,
      answers: [`${channel}/${ts}`],
      button: nonce,
    };
    return { arrival, keep };
  }

  async #placeOf({ channel, isDirect, from }: SlackMessage, workspace: string): Promise<Place> {
    if (isDirect) return { path: `slack/${workspace}/@${from}`, keep: {} };
    const { places, clock, random, signal } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { name, keep } = await places.nameOf(channel, attempt >= MOST_LOOKUPS || signal.aborted);
        return { path: `slack/${workspace}/#${name}`, keep };
      } catch {
        await rest(clock, backoffMs(WHILE_UNNAMED, attempt - 1, random()), signal);
      }
    }
  }

  /** Courtesy: a button that was used is gone. What was pressed is on disk already. */
  #takeButtonsAway({ channel, ts, shown }: SlackPress, taken: Taken): Taken {
    if ((taken !== "accepted" && taken !== "repeated") || shown === "") return taken;
    const { web, log } = this.#options;
    const courtesy = web.chat
      .update({ channel, ts, text: shown, attachments: [], parse: "none", link_names: false })
      .then(
        () => {},
        (error: unknown) => log.info("slack keeps buttons", { why: callFailure(error).words }),
      )
      .finally(() => this.#courtesies.delete(courtesy));
    this.#courtesies.add(courtesy);
    return taken;
  }
}

interface Place {
  readonly path: string;
  readonly keep: Kept;
}

interface Handed {
  readonly arrival: Arrival;
  readonly keep: Kept;
}
