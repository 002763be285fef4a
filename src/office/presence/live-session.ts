/**
 * One program that runs now: its terminal, what was last read of it, and what follows for readiness.
 * Owned by the registrar; couriers, endpoints and signals work on it. It never types and never writes the store.
 */

import { type HookMoment, readinessAtHook } from "../../core/hook-answer.ts";
import type { AgentName, DeliveryId, Instant } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { CLEAR, type Guard } from "../../core/readiness/guard.ts";
import { type Asked, askedOn, isOpenedByPerson, isSameQuestion } from "../../core/readiness/question.ts";
import {
  initialReadiness,
  mayBeInTurn,
  type Readiness,
  type ReadinessState,
  readinessAt,
  readinessForQueue,
  reduceReadiness,
  type Signal,
} from "../../core/readiness/readiness.ts";
import type { Reading } from "../../core/readiness/reading.ts";
import type { Screen } from "../../core/readiness/screen.ts";
import {
  isSuspended,
  type Standing,
  type Suspension,
  suspensionShown,
} from "../../core/readiness/standing.ts";
import { type TurnSign, turnSign } from "../../core/readiness/turn-sign.ts";
import { whyUnproven } from "../../core/releases.ts";
import { UNKNOWN_PROGRAM } from "../../core/session.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Profile } from "../../ports/profile.ts";
import type { ProgramFacts, ProgramNote } from "../../ports/program.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { ScreenOutcome, Terminal, TerminalIdentity } from "../../ports/terminal.ts";
import { within } from "../base/deadline.ts";
import { carefulProfile } from "./careful-profile.ts";
import { HookWindows } from "./hook-windows.ts";
import { LastLook } from "./last-look.ts";
import { type Observation, stillStands, textAboveComposer, unproven, unseen } from "./observation.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import { OpenDialog } from "./open-dialog.ts";
import { OutputWatch } from "./output-watch.ts";
import { WakeSignal } from "./wake-signal.ts";

export type ScreenDigest = (screen: Screen) => string;

interface LiveSessionParts
  extends Pick<LiveSession, "record" | "identity" | "terminal" | "profile" | "facts"> {
  readonly clock: Clock;
  readonly digest: ScreenDigest;
  /** The program's own record of its state, if it keeps one. */
  ownNote(): Promise<ProgramNote | undefined>;
  /** Whether it is in front of its terminal, according to the system. */
  standing(): Promise<Standing>;
}

export class LiveSession {
  readonly terminal: Terminal;
  readonly identity: TerminalIdentity;
  readonly lock = new OneAtATime();
  readonly wakeSignal: WakeSignal;
  /** Its hooks that wait for an answer. */
  readonly hooks: HookWindows;
  facts: ProgramFacts;
  /** Called at once when it passes to another agent, with the previous one. */
  onRenamed: ((before: AgentName) => void) | undefined;
  readonly openDialog = new OpenDialog();
  guard: Guard = CLEAR;
  /** How often the interrupt key was pressed for a delivery. */
  readonly pressedFor = new Map<DeliveryId, number>();
  /** The deliveries for which a turn was then seen to stop, or a dialog to close. */
  readonly stoppedFor = new Set<DeliveryId>();
  /** Dialogs for which the dismiss key was already pressed, with the delivery. */
  readonly dismissedFor = new Set<string>();
  /** Grows with each change that a person makes to what waits for it. */
  #order = 0;
  readonly #clock: Clock;
  readonly #parts: LiveSessionParts;
  readonly #lastLook: LastLook;
  #profile: Profile;
  #careful: Profile | undefined;
  #record: StoredSession;
  #suspension: { readonly how: Suspension; readonly since: Instant } | undefined;
  /** Its name in the terminal, learnt while the system said that it was in front. */
  #nameInFront: string | undefined;
  #lastReading: Reading = { kind: "unknown", why: "not read yet" };
  #readiness: ReadinessState;
  #asks: (Asked & { readonly since: Instant }) | undefined;
  #lastDigest: string | undefined;
  #lastAbove: string | undefined;
  #pressedAt: Instant = 0;
  #promptedAt: Instant = 0;
  /** Monotonic: if the clock were set back, a quiet screen would not count as quiet until the clock caught up. */
  #outputAtMonotonic: number;
  readonly #output: OutputWatch;
  readonly #ears = new Set<(signal: Signal) => void>();
  readonly #stopListening: () => void;

  constructor(parts: LiveSessionParts) {
    const { record, identity, terminal, profile, facts, clock } = parts;
    this.#parts = parts;
    this.#record = record;
    this.identity = identity;
    this.terminal = terminal;
    this.#profile = profile;
    this.facts = facts;
    this.#clock = clock;
    this.#lastLook = new LastLook(clock);
    this.#output = new OutputWatch(clock);
    this.wakeSignal = new WakeSignal(clock);
    this.hooks = new HookWindows(clock);
    this.#outputAtMonotonic = clock.monotonic();
    this.#readiness = initialReadiness({
      at: clock.now(),
      hooked: record.hooked,
      settleMs: profile.settleMs,
    });
    this.#stopListening = terminal.onChange(() => {
      this.#outputAtMonotonic = clock.monotonic();
      this.#lastLook.told();
      this.#output.told();
    });
  }

  /** For the program as the person has set it up now, and as far as its release is proven. */
  get profile(): Profile {
    if (this.unproven === undefined) return this.#profile;
    this.#careful ??= carefulProfile(this.#profile, this.identity.agentPid !== this.identity.panePid);
    return this.#careful;
  }

  /** The same, whatever its release. */
  get wholeProfile(): Profile {
    return this.#profile;
  }

  set wholeProfile(profile: Profile) {
    this.#profile = profile;
    this.#careful = undefined;
  }

  /** Why its release counts as unproven; undefined if it does not. */
  get unproven(): string | undefined {
    return whyUnproven(this.#record.version, this.#profile.proven);
  }

  get record(): StoredSession {
    return this.#record;
  }

  set record(record: StoredSession) {
    const { agent } = this.#record;
    this.#record = record;
    if (record.agent !== agent) this.onRenamed?.(agent);
  }

  get order(): number {
    return this.#order;
  }

  /** Somebody changed what goes out next: what was chosen before no longer counts. */
  reordered(): void {
    this.#order += 1;
  }

  get lastReading(): Reading {
    return this.#lastReading;
  }

  /** What it asks the person, according to the last look. */
  get asks(): (Asked & { readonly since: Instant }) | undefined {
    return this.#readiness.concluded === "exited" ? undefined : this.#asks;
  }

  get nameInFront(): string | undefined {
    return this.#nameInFront;
  }

  /** According to the last look. */
  get suspension(): { readonly how: Suspension; readonly since: Instant } | undefined {
    return this.#suspension;
  }

  readiness(): Readiness {
    const readiness = readinessAt(this.#readiness, this.#clock.now());
    if (this.#suspension === undefined || readiness.kind === "exited") return readiness;
    // Whatever it was doing when it was suspended, it does nothing now.
    return { kind: "unknown", because: suspensionShown(this.#suspension.how) };
  }

  /** The readiness that the queue uses: see `readinessForQueue`. */
  queueReadiness(): Readiness {
    return readinessForQueue(this.readiness(), this.#readiness, this.#lastReading, this.#quietForMs());
  }

  /** While it waits for the answer to a hook. */
  readinessAtHook(moment: HookMoment): Readiness {
    const settled = readinessAt({ ...this.#readiness, settleMs: 0 }, this.#clock.now());
    return readinessAtHook(moment, settled);
  }

  /** The program might only queue what is typed now. */
  mayBeInTurn(): boolean {
    return mayBeInTurn(this.#readiness, this.#lastReading);
  }

  /** The sign in this reading that a turn runs; see `turnSign`. */
  turnSign(reading: Reading, watchedForMs: number): TurnSign | undefined {
    const look = { reading, now: this.#clock.now(), quietForMs: this.#quietForMs(), watchedForMs };
    return turnSign(this.#readiness, look);
  }

  /** When we last pressed the interrupt key. `isPast`: a hook reported another prompt since, so another turn runs. */
  get lastPress(): { readonly at: Instant; readonly isPast: boolean } {
    return { at: this.#pressedAt, isPast: this.#promptedAt > this.#pressedAt };
  }

  signal(signal: Signal): void {
    if (signal.kind === "interrupted") this.#pressedAt = signal.at;
    if (signal.kind === "hook" && signal.event === "prompt-submitted" && signal.subAgent === undefined)
      this.#promptedAt = Math.max(this.#promptedAt, signal.at);
    if (signal.kind === "hook" && signal.subAgent === undefined) this.openDialog.wentOn();
    const before = this.#readiness;
    this.#readiness = reduceReadiness(before, signal);
    const told = signal.kind !== "screen" && signal.kind !== "native";
    if (told || before.concluded !== this.#readiness.concluded) this.wakeSignal.ring();
    for (const ear of this.#ears) ear(signal);
  }

  /** Calls `ear` with every signal, after it counts for readiness; returns how to stop. */
  onSignal(ear: (signal: Signal) => void): () => void {
    this.#ears.add(ear);
    return () => this.#ears.delete(ear);
  }

  /** As `observe`, for callers that look at many sessions: one that does not answer soon counts as unreadable. */
  async glance(): Promise<Observation> {
    const late: ScreenOutcome = { kind: "unreadable", cause: "its terminal did not answer soon" };
    return this.#observe(() => within(this.#clock, GLANCE_MS, this.terminal.read(), late));
  }

  /** As `glance`, but reuses the last reading, without asking the terminal, while the screen cannot have changed. */
  async look(stood?: Stood): Promise<{ readonly hasEnded?: true }> {
    const stands =
      this.#lastLook.stillShows(this.profile) && (await this.#stoodOrStands(stood)) === "in-front";
    if (!stands) return this.glance();
    const note = await this.#parts.ownNote().catch(() => undefined);
    if (!this.#lastLook.stillShows(this.profile)) return this.glance();
    this.#noted(note);
    this.#count(this.#lastReading, this.#lastAbove);
    return {};
  }

  /** For who is about to look at many, and waits for something else meanwhile; nothing if a look will ask anyway. */
  async stood(): Promise<Stood | undefined> {
    if (!this.#lastLook.stillShows(this.profile)) return undefined;
    const atMonotonic = this.#clock.monotonic();
    return { standing: await this.#stands(), atMonotonic };
  }

  async #stoodOrStands(stood: Stood | undefined): Promise<Standing> {
    const isOld = stood === undefined || this.#clock.monotonic() - stood.atMonotonic > STOOD_FOR_MS;
    return isOld ? this.#stands() : stood.standing;
  }

  /** A scan has seen it. `drawnAt`: when something was last drawn there, if the terminal tells. */
  sighted(drawnAt: Instant | undefined): void {
    this.#lastLook.sighted(drawnAt);
  }

  /** Reads the screen and counts it for readiness. A screen that cannot be read is reported so, never guessed. */
  async observe(): Promise<Observation> {
    return this.#observe(() => this.terminal.read());
  }

  /** For whoever holds the lock: `looked` if it is as good as a new look. */
  async observeAnew(looked: Observation | undefined): Promise<Observation> {
    return looked !== undefined && this.#lastLook.isFresh(looked, this.lock) ? looked : this.observe();
  }

  /**
   * A screen is the program's own only while the program is in front: after Ctrl-Z its last picture stays, and what
   * runs next may draw a prompt that looks the same. So it must have been in front before and after the reading.
   */
  async #observe(read: () => Promise<ScreenOutcome>): Promise<Observation> {
    const ended = this.#lastLook.begin(this.profile);
    const began = { atMonotonic: this.#clock.monotonic(), lock: this.lock.free };
    const before = await this.#stands();
    const [outcome, note] = await Promise.allSettled([read(), this.#parts.ownNote()]);
    const after = before === "in-front" ? await this.#stands() : before;
    if (note.status === "fulfilled") this.#noted(note.value);
    this.#suspension = isSuspended(after)
      ? { how: after, since: this.#suspension?.since ?? this.#clock.now() }
      : undefined;
    const observation = after === "in-front" ? this.#understood(outcome) : unproven(outcome, after);
    ended(observation.screen !== undefined);
    this.openDialog.seen(observation, began.atMonotonic);
    this.#count(observation.reading, textAboveComposer(observation));
    return { ...observation, began };
  }

  #noted(note: ProgramNote | undefined): void {
    if (note !== undefined) this.signal({ kind: "native", status: note.is, at: note.at });
  }

  /** A program without a profile is not read and not typed into, so it does not matter. */
  async #stands(): Promise<Standing> {
    if (this.record.program === UNKNOWN_PROGRAM) return "in-front";
    return this.#parts.standing().catch(() => "unknown");
  }

  /** Whatever the reason, a screen that cannot be read or understood is unknown: callers go on to the next session. */
  #understood(outcome: PromiseSettledResult<ScreenOutcome>): Observation {
    if (outcome.status === "rejected") return unseen(`it cannot be read (${String(outcome.reason)})`);
    const { value } = outcome;
    if (value.kind === "gone") return unseen("its terminal is gone");
    if (value.kind === "unreadable") return unseen(value.cause);
    try {
      return { ...this.#read(value.screen), ...present({ quietForMs: value.quietForMs }) };
    } catch (cause) {
      return unseen(`it is not understood (${String(cause)})`);
    }
  }

  #read(screen: Screen): Observation {
    const digest = this.#parts.digest(screen);
    // The first reading is what later ones are compared with; it does not tell when the screen changed.
    if (this.#lastDigest !== undefined && digest !== this.#lastDigest)
      this.#outputAtMonotonic = this.#clock.monotonic();
    this.#lastDigest = digest;
    this.#nameInFront = screen.command;
    const reading: Reading = screen.dead
      ? { kind: "unknown", why: "the program has ended" }
      : this.profile.read(screen);
    return { reading, screen, digest };
  }

  #count(reading: Reading, above: string | undefined): void {
    this.#lastReading = reading;
    if (this.guard.at === "typing" && !stillStands(this.guard.text, reading)) this.guard = CLEAR;
    const asBefore = above !== undefined && above === this.#lastAbove;
    this.#lastAbove = above;
    const asked = askedOn(reading);
    const signal: Signal = {
      kind: "screen",
      reading,
      at: this.#clock.now(),
      quietForMs: this.#quietForMs(),
      ...(asBefore ? { above: "as-before" } : {}),
    };
    // A dialog covers what was there before: those who hear the signal must know what it asks.
    const covered = reduceReadiness(this.#readiness, signal);
    if (asked === undefined || isOpenedByPerson(covered)) this.#asks = undefined;
    else if (!isSameQuestion(this.#asks, asked)) this.#asks = { ...asked, since: signal.at };
    this.signal(signal);
  }

  /** How long nothing has changed on its screen, as far as it was looked at. */
  get stillForMs(): number {
    return this.#quietForMs();
  }

  #quietForMs(): number {
    return this.#clock.monotonic() - this.#outputAtMonotonic;
  }

  /** Until a reading satisfies the question or the time is up. */
  async watch(
    satisfied: (observation: Observation) => boolean,
    { timeoutMs }: { readonly timeoutMs: number },
  ): Promise<Observation | undefined> {
    return this.#output.until(() => this.observe(), satisfied, timeoutMs);
  }

  /** Calls `listener` at every change of the screen; returns how to stop. */
  onOutput(listener: () => void): () => void {
    return this.#output.onOutput(listener);
  }

  close(): void {
    this.#stopListening();
    this.hooks.shut();
    this.#output.close();
    this.#ears.clear();
  }
}

const GLANCE_MS = 1_500;
/** No longer than a look at many takes. */
const STOOD_FOR_MS = 100;

/** Where the system said that it stands, a moment ago. */
export interface Stood {
  readonly standing: Standing;
  readonly atMonotonic: number;
}
