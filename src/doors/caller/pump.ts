/**
 * The requests of one connection, from bytes to answers. A door parses bytes and builds frames; this decides what
 * starts when, how much runs at once, and in which order answers are written.
 *
 *   take ─▶ parked ─▶ (its turn, and room) ─▶ under way ─▶ answered
 *
 * While anything is parked, nothing more is read: at most the rest of one chunk is parked.
 */
import type { Outlet } from "./outlet.ts";
import type { Turns } from "./turns.ts";

export interface OpenedRequest {
  /** Requests without an id can only be told apart by their order, so they are answered in order. */
  readonly reqId: string | number | undefined;
  /** How to tell the caller that there will be no answer. Kept while the request is under way. */
  readonly manner?: object;
  /** What it counts against `inFlightBytes`; zero if absent. */
  readonly weight?: number;
}

type Manner<A extends OpenedRequest> = NonNullable<A["manner"]>;

export interface Reply {
  readonly frame: string | Buffer;
  /** Called when the answer is written. */
  readonly after?: (() => void) | undefined;
}

export interface PumpParts<A extends OpenedRequest> {
  /** How many requests may be under way at once, and their total weight; further ones wait their turn. */
  readonly inFlight: number;
  readonly inFlightBytes: number;
  /**
   * What happens to an answer for which there is no room: it `waits` until the caller reads, if weights bound how much
   * is held, or it `piles-up` until the outlet disconnects the caller.
   */
  readonly withoutRoom: "waits" | "piles-up";
  readonly outlet: Pick<Outlet, "isOpen" | "hasRoom" | "drained" | "write">;
  readonly turns: Pick<Turns, "join" | "leave">;
  readonly intake: { pause(): void; resume(): void };
  /** Interprets the bytes, even if they are not a valid request. */
  open(bytes: Buffer): A;
  /** Never rejects. `undefined`: this request gets no answer from here. */
  carryOut(asked: A): Promise<Reply> | undefined;
  /** Called after each answer. */
  answered(): void;
}

export class Pump<A extends OpenedRequest> {
  readonly #parts: PumpParts<A>;
  readonly #parked: Buffer[] = [];
  readonly #manners = new Set<Manner<A>>();
  #underWay = 0;
  #weight = 0;
  #ordered: Promise<void> = Promise.resolve();
  /** `finishing` accepts nothing new; `over` also starts nothing. */
  #state: "taking" | "finishing" | "over" = "taking";
  #isHeld = false;
  #isReading = true;
  #awaitsRoom = false;

  constructor(parts: PumpParts<A>) {
    this.#parts = parts;
  }

  get isTaking(): boolean {
    return this.#state === "taking";
  }

  /** `stuck`: nothing proceeds until the caller reads. */
  get standing(): "at-rest" | "stuck" | "at-work" {
    if (this.#underWay > 0) return "at-work";
    if (this.#parked.length === 0) return "at-rest";
    return this.#parts.outlet.hasRoom ? "at-work" : "stuck";
  }

  take(bytes: Buffer): void {
    if (this.#state !== "taking") return;
    this.#parked.push(bytes);
    this.#goOn();
  }

  /** Nothing is started or read until it is released. */
  hold(): void {
    this.#isHeld = true;
    this.#pause();
  }

  release(): void {
    this.#isHeld = false;
    this.#goOn();
  }

  /** Accepts nothing new; parked requests still get their turn. */
  finish(): void {
    if (this.#state === "taking") this.#state = "finishing";
  }

  /** Starts nothing more and drops what is parked; requests under way are still answered. */
  end(): void {
    this.#state = "over";
    this.#parked.length = 0;
    this.#parts.turns.leave(this.#serve);
  }

  /** Ends, and returns those that have no answer yet, so that they can be told why. */
  abandon(): readonly Manner<A>[] {
    const parked = this.#parked.map((bytes) => this.#parts.open(bytes).manner);
    const unanswered = [...this.#manners, ...parked.filter((manner) => manner !== undefined)];
    this.end();
    return unanswered as readonly Manner<A>[];
  }

  #hasCapacity(): boolean {
    const { inFlight, inFlightBytes, outlet } = this.#parts;
    return !this.#isHeld && this.#underWay < inFlight && this.#weight < inFlightBytes && outlet.hasRoom;
  }

  #mayBegin(): boolean {
    return this.#parked.length > 0 && this.#parts.outlet.isOpen && this.#hasCapacity();
  }

  #goOn(): void {
    if (this.#state === "over") return;
    if (this.#mayBegin()) this.#parts.turns.join(this.#serve);
    if (this.#parked.length > 0) this.#pause();
    else if (!this.#isReading && this.#hasCapacity()) this.#resume();
    if (!this.#isReading) this.#awaitRoom();
  }

  readonly #serve = (): "more" | "done" => {
    const bytes = this.#mayBegin() ? this.#parked.shift() : undefined;
    if (bytes !== undefined) this.#begin(bytes);
    if (this.#mayBegin()) return "more";
    this.#goOn();
    return "done";
  };

  #begin(bytes: Buffer): void {
    const asked = this.#parts.open(bytes);
    this.#underWay += 1;
    this.#weight += asked.weight ?? 0;
    if (asked.manner !== undefined) this.#manners.add(asked.manner);
    const work = this.#parts.carryOut(asked);
    if (work === undefined) this.#forget(asked);
    else if (asked.reqId === undefined) this.#ordered = this.#sayInOrder(asked, work);
    else void work.then((said) => this.#say(asked, said));
  }

  async #sayInOrder(asked: A, work: Promise<Reply>): Promise<void> {
    const before = this.#ordered;
    const said = await work;
    await before;
    await this.#say(asked, said);
  }

  #say(asked: A, said: Reply): void | Promise<void> {
    const { outlet, withoutRoom, answered } = this.#parts;
    if (withoutRoom === "waits" && outlet.isOpen && !outlet.hasRoom)
      return outlet.drained().then(() => this.#say(asked, said));
    outlet.write(said.frame);
    said.after?.();
    this.#forget(asked);
    this.#goOn();
    answered();
  }

  #forget(asked: A): void {
    this.#underWay -= 1;
    this.#weight -= asked.weight ?? 0;
    if (asked.manner !== undefined) this.#manners.delete(asked.manner);
  }

  #pause(): void {
    if (!this.#isReading) return;
    this.#isReading = false;
    this.#parts.intake.pause();
  }

  #resume(): void {
    this.#isReading = true;
    this.#parts.intake.resume();
  }

  #awaitRoom(): void {
    const { outlet } = this.#parts;
    if (this.#awaitsRoom || !outlet.isOpen || outlet.hasRoom) return;
    this.#awaitsRoom = true;
    void outlet.drained().then(() => {
      this.#awaitsRoom = false;
      this.#goOn();
    });
  }
}
