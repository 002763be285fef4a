/**
 * Keeps, restores and shows a person's unsent text. The paste rung asks it to set a draft aside; turn ends,
 * recovery and `draft restore` ask it to bring one back. It restores only into an empty composer, never presses
 * Enter, and never calls a draft restored that it has not read there again.
 */
import { BellhopError } from "../../core/errors.ts";
import { CLEAR } from "../../core/readiness/guard.ts";
import type { DraftReading, Reading } from "../../core/readiness/reading.ts";
import type { Screen } from "../../core/readiness/screen.ts";
import type { Outcome } from "../../ports/endpoint.ts";
import type { DraftKeeping } from "../../ports/profile.ts";
import type { KeptDraft } from "../../ports/store.ts";
import type { GateExpectation, Stroke } from "../../ports/terminal.ts";
import type { OfficeContext } from "../base/context.ts";
import { pause } from "../base/deadline.ts";
import type { LiveSession, Observation } from "../presence/live-session.ts";
import { announceLeft, announceRestored } from "./draft-announcement.ts";
import { expectationAt, refusalHold } from "./gatekeeping.ts";

type TextDraft = Extract<DraftReading, { kind: "text" }>;
type Cleared =
  | {
      readonly kind: "cleared";
      readonly kept: KeptDraft;
      readonly observation: Observation;
      readonly screen: Screen;
    }
  | Extract<Outcome, { kind: "hold" }>;

const COMES_BACK_MS = 5_000;
/** Twice: the person may have brought it back themselves the first time. */
const MOST_PRESSES = 2;
const NOT_BROUGHT_BACK = "the program did not bring it back";
const RESTORE_TRIES = 12;
const RESTORE_PAUSE_MS = 700;
/** Messages that may go in before a draft comes back, with room. */
const MOST_SINCE = 50;

export class KeepDrafts {
  readonly #context: OfficeContext;
  readonly #again = new Map<LiveSession, () => void>();
  /** A draft that stayed where it was, and how often: the key is not pressed for the same one again and again. */
  readonly #immovable = new WeakMap<LiveSession, { readonly text: string; readonly presses: number }>();

  constructor(context: OfficeContext) {
    this.#context = context;
  }

  /** Why this very draft cannot be set aside, or undefined. */
  whyNot(session: LiveSession, keeping: DraftKeeping, reading: Reading): string | undefined {
    if (reading.kind !== "composer" || reading.draft.kind !== "text") return undefined;
    if (keeping.how === "retype" && !(reading.draft.exact && reading.draft.lines === 1)) {
      const why =
        reading.draft.lines === 1
          ? "the screen does not show exactly what was typed"
          : "it has more than one line";
      return `${why}, and this program cannot keep a draft itself`;
    }
    const stayed = this.#immovable.get(session);
    if (stayed?.text === reading.draft.text && stayed.presses >= MOST_PRESSES)
      return "the program's key to set text aside had no effect";
    const open = this.#context.store.read.keptDrafts({ sessionId: session.record.id, open: true });
    return open.length > 0 ? "another draft is still set aside: bellhop draft show" : undefined;
  }

  /** On disk before the first key that moves it. */
  async begin(session: LiveSession, draft: TextDraft, how: KeptDraft["how"]): Promise<KeptDraft> {
    const { store, clock, ids, log, checkpoint } = this.#context;
    const kept: KeptDraft = {
      id: ids.draft(),
      sessionId: session.record.id,
      text: draft.text,
      exact: draft.exact,
      how,
      state: "keeping",
      keptAt: clock.now(),
    };
    await store.write((tx) => tx.putKeptDraft(kept));
    checkpoint("draft.persisted");
    session.guard = { at: "kept", text: draft.text, keptAt: kept.keptAt };
    log.info("draft.kept", { session: session.record.id, how, characters: draft.text.length });
    return kept;
  }

  async clear(
    session: LiveSession,
    draft: TextDraft,
    keeping: Extract<DraftKeeping, { readonly clear: readonly Stroke[] }>,
    expectation: GateExpectation,
  ): Promise<Cleared> {
    const context = this.#context;
    const dry = await session.terminal.gate(expectation, []);
    if (dry.kind !== "sent") return refusalHold(dry, session, context);
    const kept = await this.begin(session, draft, keeping.how);
    return this.#orLater(session, () => this.#clear(session, kept, keeping.clear, expectation));
  }

  async #clear(
    session: LiveSession,
    kept: KeptDraft,
    keys: readonly Stroke[],
    expectation: GateExpectation,
  ): Promise<Cleared> {
    const context = this.#context;
    const outcome = await session.terminal.gate(expectation, keys);
    if (outcome.kind === "refused") {
      await this.#settle(session, kept, "restored", "never moved: someone typed");
      return refusalHold(outcome, session, context);
    }
    context.checkpoint("draft.key-pressed");
    const isAside = ({ reading }: Observation): boolean => whereDraftIs(reading, kept) === "aside";
    const aside = await session.watch(isAside, { timeoutMs: COMES_BACK_MS });
    if (aside?.screen === undefined) return this.#notAside(session, kept);
    context.checkpoint("draft.cleared");
    const moved = { ...kept, state: "kept" as const };
    await context.store.write((tx) => tx.putKeptDraft(moved));
    return { kind: "cleared", kept: moved, observation: aside, screen: aside.screen };
  }

  /** Nothing is typed: the message waits, and the text is where the screen says it is. */
  async #notAside(session: LiveSession, kept: KeptDraft): Promise<Extract<Outcome, { kind: "hold" }>> {
    const { clock, settings } = this.#context;
    const { reading } = await session.observe();
    const where = whereDraftIs(reading, kept);
    if (where === "in-composer") {
      this.#stayed(session, reading);
      await this.#settle(
        session,
        kept,
        "restored",
        "never moved: the program's key to set text aside had no effect",
      );
    } else if (kept.how === "stash") {
      // It may lie in the program's stash: looked for until it stands there again.
      await this.#wait(session, kept);
    } else await this.#leave(session, kept, "its composer did not become empty");
    return {
      kind: "hold",
      reason: where === "in-composer" ? "typing" : "unknown",
      release:
        where === "in-composer"
          ? "when the text in its composer is sent or removed (the program's key to set text aside had no effect)"
          : "when its composer is empty: Bellhop tried to set the text there aside, and could not see whether that worked",
      retryAt: clock.now() + settings().inputPollMs,
    };
  }

  #stayed(session: LiveSession, reading: Reading): void {
    if (reading.kind !== "composer" || reading.draft.kind !== "text") return;
    const { text } = reading.draft;
    const before = this.#immovable.get(session);
    const presses = before?.text === text ? before.presses + 1 : 1;
    this.#immovable.set(session, { text, presses });
  }

  /** An empty composer is not theirs to lose: a stash that does not show would come back under our keys. */
  whyWait(session: LiveSession, reading: Reading): string | undefined {
    if (reading.kind !== "composer" || reading.stash === "shown" || this.#open(session)?.how !== "stash")
      return undefined;
    return "when the text that was set aside is back in its composer: bellhop draft show";
  }

  /** After the message, or instead of it: `out`, nothing was typed behind the draft that was set aside. */
  giveBack(session: LiveSession, kept: KeptDraft, keys: "in" | "out" | "unknown"): Promise<void> {
    // A stash comes back with the submit; the key that pops it could come just then, and stash it again.
    return kept.how === "stash" && keys !== "out"
      ? this.settleStash(session, kept, "in")
      : this.restore(session, kept);
  }

  /** The program brings a stashed draft back by itself: see that it did. */
  settleStash(session: LiveSession, kept: KeptDraft, keys: "in" | "out" | "unknown"): Promise<void> {
    return this.#orLater(session, () => this.#settleStash(session, kept, keys));
  }

  async #settleStash(session: LiveSession, kept: KeptDraft, keys: "in" | "out" | "unknown"): Promise<void> {
    const unmoved = keys === "unknown" && shows(await session.observe(), kept.text);
    if (keys === "out" || unmoved) return this.#settle(session, kept, "restored", "never moved");
    const back = await session.watch((observation) => shows(observation, kept.text), {
      timeoutMs: COMES_BACK_MS,
    });
    if (back !== undefined) return this.#restored(session, kept);
    await this.#wait(session, kept);
  }

  /** Brings it back into an empty composer, or waits until there is one. Called under the terminal's lock. */
  restore(session: LiveSession, kept: KeptDraft, tries = RESTORE_TRIES): Promise<void> {
    return this.#orLater(session, () => this.#restore(session, kept, tries));
  }

  /** Once a draft may have moved, a failure (a full disk) must not be the end of it. */
  async #orLater<T>(session: LiveSession, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      this.#tryLater(session);
      throw cause;
    }
  }

  async #restore(session: LiveSession, kept: KeptDraft, tries: number): Promise<void> {
    const { clock } = this.#context;
    for (let left = tries; left > 0; left -= 1) {
      const observation = await session.observe();
      if (shows(observation, kept.text)) return this.#restored(session, kept);
      const { reading, screen } = observation;
      const draft = reading.kind === "composer" ? reading.draft.kind : undefined;
      if (draft === "text" && reading.kind === "composer" && reading.stash === "none")
        return this.#leave(session, kept, "its composer was not empty");
      // Over other text the key that pops a stash would put that text in its place.
      const isEmpty = screen !== undefined && draft === "empty";
      if (isEmpty && (await this.#bringBack(session, kept, observation, screen))) return;
      if (left > 1) await pause(clock, RESTORE_PAUSE_MS);
      else if (isEmpty && this.#steps(session, kept).length === 0)
        return this.#leave(session, kept, NOT_BROUGHT_BACK);
    }
    await this.#wait(session, kept);
  }

  /** No composer to be seen, or someone types: it is tried again until one of them is over. */
  async #wait(session: LiveSession, kept: KeptDraft): Promise<void> {
    this.#tryLater(session);
    await this.#context.store.write((tx) => tx.putKeptDraft({ ...kept, state: "kept" }));
  }

  #tryLater(session: LiveSession): void {
    const { clock, settings, log } = this.#context;
    this.#again.get(session)?.();
    const cancel = clock.after(settings().inputPollMs, () => {
      this.#again.delete(session);
      if (session.readiness().kind === "exited") return;
      this.restoreOpen(session, 1).catch((cause) =>
        log.error("draft.restore_failed", { cause: String(cause) }),
      );
    });
    this.#again.set(session, cancel);
  }

  close(): void {
    for (const cancel of this.#again.values()) cancel();
    this.#again.clear();
  }

  async #bringBack(
    session: LiveSession,
    kept: KeptDraft,
    observation: Observation,
    screen: Screen,
  ): Promise<boolean> {
    const { store, checkpoint } = this.#context;
    const [first, second] = this.#steps(session, kept);
    if (first === undefined) return false;
    // It is the person's own: an interrupt may have set it aside while they had the keyboard.
    const expectation = expectationAt(session, observation, screen, "may-be-taken");
    if ((await session.terminal.gate(expectation, [])).kind !== "sent") return false;
    await store.write((tx) => tx.putKeptDraft({ ...kept, state: "restoring" }));
    checkpoint("draft.before-restore");
    if ((await session.terminal.gate(expectation, first)).kind === "refused") return false;
    const isBack = (seen: Observation): boolean => shows(seen, kept.text);
    let back = await session.watch(isBack, { timeoutMs: COMES_BACK_MS });
    if (back === undefined && second !== undefined) {
      const seen = await session.observe();
      if (seen.screen !== undefined && seen.reading.kind === "composer") {
        await session.terminal.gate(expectationAt(session, seen, seen.screen, "may-be-taken"), second);
        back = await session.watch(isBack, { timeoutMs: COMES_BACK_MS });
      }
    }
    if (back !== undefined) await this.#restored(session, kept);
    else await this.#leave(session, kept, notBack(await session.observe()));
    return true;
  }

  /** What to press, and what to press should that not show it. */
  #steps(session: LiveSession, kept: KeptDraft): readonly (readonly Stroke[])[] {
    const keeping = session.profile.draftKeeping(session.record.version);
    if (keeping.how === "retype" && kept.how === "retype") return [keeping.retype(kept.text)];
    if (keeping.how === "history" && kept.how === "history") {
      // One step back is the newest entry: what was submitted since comes first, the draft right behind it.
      const since = this.#submittedSince(session, kept);
      const back = Array.from({ length: since + 1 }, () => keeping.recall).flat();
      // After a crash a prompt may be in that nobody could prove.
      return since === 0 ? [back, keeping.recall] : [back];
    }
    // Also where no stash shows: its sign may be another in this release, and without one the key does nothing.
    return keeping.how === "stash" && kept.how === "stash" ? [keeping.pop] : [];
  }

  #submittedSince(session: LiveSession, kept: KeptDraft): number {
    const { read } = this.#context.store;
    const attempts = read
      .attemptedIn(
        session.record.id,
        ["delivering", "unconfirmed", "delivered", "read", "replied"],
        MOST_SINCE,
      )
      .map(({ delivery }) => delivery.attempt)
      .filter((attempt) => attempt?.transport === "paste" && attempt.startedAt >= kept.keptAt);
    return new Set(attempts.map((attempt) => attempt?.token)).size;
  }

  /** After a turn's end, at start-up, or because the person asked: every draft that is still set aside. */
  async restoreOpen(session: LiveSession, tries = RESTORE_TRIES): Promise<KeptDraft | undefined> {
    const open = this.#open(session);
    if (open === undefined) return undefined;
    await session.lock.hold(async () => {
      // It may have come back while someone else held the terminal.
      const still = this.#open(session);
      if (still?.id === open.id) await this.restore(session, still, tries);
    });
    return this.#context.store.read
      .keptDrafts({ sessionId: session.record.id })
      .find(({ id }) => id === open.id);
  }

  #open(session: LiveSession): KeptDraft | undefined {
    return this.#context.store.read.keptDrafts({ sessionId: session.record.id, open: true })[0];
  }

  /** The person asks for it: also one that was left to them, then as far as it could be read. */
  async restoreForPerson(session: LiveSession): Promise<KeptDraft> {
    const open = await this.restoreOpen(session);
    if (open !== undefined) return open;
    const { store } = this.#context;
    const left = store.read
      .keptDrafts({ sessionId: session.record.id })
      .findLast(({ state }) => state === "left-to-person");
    if (left === undefined) {
      throw new BellhopError("draft.none", {
        message: "No text is set aside there.",
        next: `See all with "bellhop queue".`,
      });
    }
    return session.lock.hold(async () => {
      const seen = await session.observe();
      if (seen.suspension !== undefined) {
        throw new BellhopError("draft.blocked", {
          message: "Its program is suspended.",
          next: "Bring it back with fg, then try again.",
        });
      }
      if (seen.screen === undefined || !isEmptyComposer(seen)) {
        throw new BellhopError("draft.blocked", {
          message: "Its composer is not empty.",
          next: "Send or remove the text there, then try again.",
        });
      }
      const text: Stroke = { kind: "paste", text: left.text, bracketed: true };
      const outcome = await session.terminal.gate(expectationAt(session, seen, seen.screen), [text]);
      if (outcome.kind !== "sent") {
        throw new BellhopError("draft.blocked", {
          message: "Someone is typing there.",
          next: "Try again in a moment.",
        });
      }
      await this.#settle(session, left, "restored", "typed back as far as it could be read");
      return { ...left, state: "restored" };
    });
  }

  async #restored(session: LiveSession, kept: KeptDraft): Promise<void> {
    await this.#settle(session, kept, "restored");
    this.#context.checkpoint("draft.restored");
    await announceRestored(this.#context, session, kept);
  }

  async #leave(session: LiveSession, kept: KeptDraft, note: string): Promise<void> {
    await this.#settle(session, kept, "left-to-person", note);
    await announceLeft(this.#context, session);
  }

  async #settle(
    session: LiveSession,
    kept: KeptDraft,
    state: KeptDraft["state"],
    note?: string,
  ): Promise<void> {
    const { store, clock, log } = this.#context;
    session.guard = CLEAR;
    const { note: _, ...rest } = kept;
    await store.write((tx) =>
      tx.putKeptDraft({ ...rest, state, settledAt: clock.now(), ...(note === undefined ? {} : { note }) }),
    );
    log.info("draft.settled", { session: session.record.id, state, note });
  }
}

/**
 * Where the text is that was to be set aside. `aside`: the composer is empty, and the program shows its stash where it
 * has one. `in-composer`: it stands there as it did, at most with more behind it. Everything else is not known.
 */
function whereDraftIs(reading: Reading, kept: KeptDraft): "aside" | "in-composer" | "unknown" {
  if (reading.kind !== "composer") return "unknown";
  if (reading.draft.kind === "empty")
    return kept.how !== "stash" || reading.stash === "shown" ? "aside" : "unknown";
  const stands = squeeze(reading.draft.text).startsWith(squeeze(kept.text));
  return stands && reading.stash === "none" ? "in-composer" : "unknown";
}

function isEmptyComposer({ reading }: Observation): boolean {
  return reading.kind === "composer" && reading.draft.kind === "empty";
}

function notBack(seen: Observation): string {
  return isEmptyComposer(seen)
    ? NOT_BROUGHT_BACK
    : "it was brought back but looks different: check the composer";
}

/** A screen drops trailing blanks and folds wraps: those do not count. */
function shows({ reading }: Observation, text: string): boolean {
  return (
    reading.kind === "composer" &&
    reading.draft.kind === "text" &&
    squeeze(reading.draft.text) === squeeze(text)
  );
}

function squeeze(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
