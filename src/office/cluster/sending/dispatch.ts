/**
 * Sends what waits for one host, and what that host is owed, one bag after the other: the next goes only when the engine
 * has stored the one before, so that the order is kept. Started with the cluster, woken by accept, by news and by the
 * engine. A letter is marked before it goes; what the engine may not have goes again, and the other host takes it once.
 *
 *   sleep ─▶ record what was stored, choose, mark ─▶ store ─▶ sleep
 *     ▲            (one transaction)                  │
 *     ╰──────────── rest, then all of it again ◀──────╯ no answer
 *
 * Anything new ends its sleep. It ends no rest: an engine that stores nothing is not tried more often for that.
 */
import type { DeliveryId, Instant } from "../../../core/message.ts";
import { backoffMs } from "../../../core/time/backoff.ts";
import type { Missing } from "../../../wire/cluster/parcels.ts";
import { WakeSignal } from "../../presence/wake-signal.ts";
import { type Errands, hasLetters } from "./choosing.ts";
import { type Departing, Departures, type DeparturesParts, wordsOf } from "./departures.ts";
import { Doubting, type DoubtingParts } from "./doubting.ts";
import { Enquiries } from "./enquiries.ts";
import { GoingBack } from "./missing.ts";
import { holdAll, holdInTrouble, obstacleTo } from "./obstacles.ts";

const BACKOFF = { firstMs: 1_000, longestMs: 10_000 };
const AFTER_FAILURE_MS = 2_000;
const MOST_NEWS = 400;

export interface DispatchParts extends DoubtingParts, DeparturesParts {}

export class Dispatch {
  readonly #parts: DispatchParts;
  readonly #wakeSignal: WakeSignal;
  /** Of this try: rung by what may make the next one succeed. */
  #restSignal: WakeSignal;
  readonly #enquiries: Enquiries;
  readonly #doubting: Doubting;
  readonly #goingBack = new GoingBack();
  readonly #departures: Departures;
  #running: Promise<void> | undefined;
  #isStopped = false;
  /** Of the other host, when it was last looked at. */
  #key: string | undefined;
  #trouble: string | undefined;

  constructor(parts: DispatchParts) {
    this.#parts = parts;
    this.#wakeSignal = new WakeSignal(parts.context.clock);
    this.#restSignal = new WakeSignal(parts.context.clock);
    this.#enquiries = new Enquiries(parts, parts.to);
    this.#doubting = new Doubting(parts, this.#enquiries);
    this.#departures = new Departures(parts, this.#enquiries, this.#goingBack);
  }

  start(): void {
    if (this.#running !== undefined) return;
    this.#running = this.#run();
    this.#enquiries.start();
  }

  wake(): void {
    this.#wakeSignal.ring();
  }

  /** The engine stands differently, or who is admitted has changed: it is tried at once. */
  reconsider(): void {
    this.#restSignal.ring();
    this.wake();
  }

  /** The engine is there, for the first time or again. */
  connected(): void {
    this.#askForAll(this.#enquiries.connected());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#enquiries.stop();
    this.#doubting.stop();
    this.reconsider();
    await this.#running;
  }

  /** Why nothing goes, though the engine is up and that host is admitted. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** The other host has said something of itself: what it should have said is asked for. */
  announced(): void {
    this.#enquiries.announced();
    this.#doubting.announced();
    if (this.#enquiries.nextAt() !== "on-signal") this.wake();
  }

  /** It is there, and says nothing of what went to it. */
  get isUnanswered(): boolean {
    return this.#doubting.isUnanswered;
  }

  /** The other host has said what became of these. */
  heard(deliveries: readonly DeliveryId[]): void {
    for (const delivery of deliveries) this.#enquiries.heard(delivery);
    if (deliveries.length === 0) return;
    this.#goingBack.heard();
    this.#doubting.heard();
  }

  /** What the other host says of these is older than what it said before: late, or its clock was set back. */
  askAgain(deliveries: readonly DeliveryId[]): void {
    if (deliveries.length === 0) return;
    for (const delivery of deliveries) this.#enquiries.askSoon(delivery);
    this.wake();
  }

  /** The other host never got these, and was asked, or was sent others after them. */
  async sendAgain(missing: readonly Missing[]): Promise<void> {
    this.#doubting.heard();
    const isAsked = (delivery: DeliveryId): boolean => this.#enquiries.hasAskedFor(delivery);
    const said = this.#goingBack.believed(missing, isAsked);
    if (said.length === 0) return;
    const { context, to, states } = this.#parts;
    const { store, clock } = context;
    const forgotten = await store.write((tx) => this.#goingBack.goBack(tx, to, said, isAsked, clock.now()));
    if (forgotten.length > 0) states.changed(forgotten);
    // That is an answer. Whatever goes again is asked for again.
    for (const { delivery } of said) if (isAsked(delivery)) this.#enquiries.heard(delivery);
    this.wake();
  }

  /** The other host asks for a letter that never came, or named it with this attempt. */
  oweMissing(delivery: DeliveryId, attempt?: number): void {
    this.#departures.missing.owe(delivery, attempt);
    this.wake();
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#parts.context;
    let before: Departing | undefined;
    while (!this.#isStopped) {
      let next: Instant | "on-signal" | "at-once" = "at-once";
      let restMs = 0;
      this.#restSignal = new WakeSignal(clock);
      try {
        const departing = await this.#depart(before);
        before = undefined;
        if (typeof departing !== "object") {
          this.#trouble = undefined;
          next = departing;
        } else if (await this.#store(departing)) before = departing;
        else restMs = backoffMs(BACKOFF, this.#departures.failures - 1);
      } catch (cause) {
        log.error("cluster.dispatch_failed", { host: this.#parts.to, cause: String(cause) });
        before = undefined;
        restMs = AFTER_FAILURE_MS;
        this.#trouble = wordsOf(cause);
        await holdInTrouble(this.#parts, this.#parts.to, this.#trouble);
      }
      if (this.#isStopped) break;
      if (restMs > 0) await this.#restSignal.sleep(clock.now() + restMs);
      else if (next !== "at-once") await this.#wakeSignal.sleep(next);
    }
    if (before !== undefined) await this.#departures.next(before, undefined);
  }

  /** What goes next, marked; or when to look again. */
  async #depart(before: Departing | undefined): Promise<Departing | Instant | "on-signal" | "at-once"> {
    const { store, clock, checkpoint } = this.#parts.context;
    const obstacle = this.#obstacle();
    const isTroubled = store.trouble() !== undefined;
    const errands = obstacle === undefined && !isTroubled ? this.#errands() : undefined;
    if (before !== undefined || errands !== undefined) {
      const chosen = await this.#departures.next(before, errands);
      if (before !== undefined && before.news.length > 0) checkpoint("cluster.told");
      if (chosen !== undefined && (chosen.parcels.length > 0 || this.#departures.isFull)) return chosen;
      // It was too large, and what waits behind it may go.
      if (chosen !== undefined && chosen.messages.length > 0) return "at-once";
    }
    if (isTroubled) return clock.now() + AFTER_FAILURE_MS;
    if (obstacle === undefined) return this.#enquiries.nextAt();
    await this.#hold(obstacle);
    return "on-signal";
  }

  #obstacle(): string | undefined {
    const { engine, sealer, to } = this.#parts;
    const key = this.#parts.admitted()?.key;
    if (key !== this.#key) this.#keyChanged(key);
    return obstacleTo(to, key, engine, sealer);
  }

  /** What it said under another key, or while it was not admitted, was not heard. */
  #keyChanged(key: string | undefined): void {
    this.#key = key;
    if (key !== undefined) this.#askForAll(this.#enquiries.lookAtAll());
  }

  #askForAll(looking: Promise<void>): void {
    looking
      .then(() => this.wake())
      .catch((cause: unknown) => {
        const { log } = this.#parts.context;
        log.error("cluster.enquiries_failed", { host: this.#parts.to, cause: String(cause) });
      });
  }

  /** What is to be done besides letters; undefined if there is nothing at all. */
  #errands(): Errands | undefined {
    const { telling, to, context } = this.#parts;
    const errands = {
      owed: telling.take(to, MOST_NEWS),
      missing: this.#departures.missing.list(),
      enquiries: this.#enquiries.due(),
    };
    const hasAny = errands.owed.length + errands.missing.length + errands.enquiries.length > 0;
    return hasAny || hasLetters(context.store.read, to) ? errands : undefined;
  }

  /** False: whether it is stored is unknown, or it is not. */
  async #store(departing: Departing): Promise<boolean> {
    const release = await this.#departures.store(departing);
    if (release === undefined) this.#trouble = undefined;
    else await this.#hold(release);
    return release === undefined;
  }

  /** What waits says why. */
  async #hold(release: string): Promise<void> {
    if (!(await holdAll(this.#parts, this.#parts.to, release))) this.wake();
  }
}
