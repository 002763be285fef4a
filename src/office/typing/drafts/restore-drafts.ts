/**
 * Brings a person's unsent text back. The paste rung calls it after a message; turn ends, recovery and `draft restore`
 * call it for whatever is still set aside. It restores only into an empty composer, never presses Enter, and calls a
 * draft restored only after it has read it there again.
 */
import { SENT } from "../../../core/evidence.ts";
import type { Screen } from "../../../core/readiness/screen.ts";
import type { KeptDraft } from "../../../ports/store.ts";
import type { Stroke } from "../../../ports/terminal.ts";
import type { OfficeContext } from "../../base/context.ts";
import { pause } from "../../base/deadline.ts";
import type { LiveSession } from "../../presence/live-session.ts";
import type { Observation } from "../../presence/observation.ts";
import { expectationAt } from "../gatekeeping.ts";
import { leaveToPerson, markRestored, openDraft, settleDraft } from "./record.ts";
import { NOT_BROUGHT_BACK, notBack, shows } from "./seen.ts";

export const COMES_BACK_MS = 5_000;
const RESTORE_TRIES = 12;
const RESTORE_PAUSE_MS = 700;
/** Messages that may be typed before a draft comes back, with a margin. */
const MOST_SINCE = 50;

export class RestoreDrafts {
  readonly #context: OfficeContext;
  readonly #again = new Map<LiveSession, () => void>();

  constructor(context: OfficeContext) {
    this.#context = context;
  }

  /** After the message, or instead of it. `out`: nothing was typed after the draft was set aside. */
  giveBack(session: LiveSession, kept: KeptDraft, keys: "in" | "out" | "unknown"): Promise<void> {
    // The submit brings a stash back; pressing its key at that moment could stash the text again.
    return kept.how === "stash" && keys !== "out"
      ? this.settleStash(session, kept, "in")
      : this.restore(session, kept);
  }

  /** The program brings a stashed draft back by itself: check that it did. */
  settleStash(session: LiveSession, kept: KeptDraft, keys: "in" | "out" | "unknown"): Promise<void> {
    return this.orLater(session, () => this.#settleStash(session, kept, keys));
  }

  async #settleStash(session: LiveSession, kept: KeptDraft, keys: "in" | "out" | "unknown"): Promise<void> {
    const unmoved = keys === "unknown" && shows(await session.observe(), kept.text);
    if (keys === "out" || unmoved)
      return settleDraft(this.#context, session, kept, "restored", "never moved");
    const back = await session.watch((observation) => shows(observation, kept.text), {
      timeoutMs: COMES_BACK_MS,
    });
    if (back !== undefined) return markRestored(this.#context, session, kept);
    await this.wait(session, kept);
  }

  /** Restores it into an empty composer, or waits until there is one. Called under the terminal's lock. */
  restore(session: LiveSession, kept: KeptDraft, tries = RESTORE_TRIES): Promise<void> {
    return this.orLater(session, () => this.#restore(session, kept, tries));
  }

  /** Once a draft may have moved, a failure (a full disk) must not end the attempts to restore it. */
  async orLater<T>(session: LiveSession, work: () => Promise<T>): Promise<T> {
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
      if (shows(observation, kept.text)) return markRestored(this.#context, session, kept);
      const { reading, screen } = observation;
      const draft = reading.kind === "composer" ? reading.draft.kind : undefined;
      if (draft === "text" && reading.kind === "composer" && reading.stash === "none")
        return leaveToPerson(this.#context, session, kept, "its composer was not empty");
      // Over other text, the key that pops a stash would stash that text in place of the draft.
      const isEmpty = screen !== undefined && draft === "empty";
      if (isEmpty && (await this.#bringBack(session, kept, observation, screen))) return;
      if (left > 1) await pause(clock, RESTORE_PAUSE_MS);
      else if (isEmpty && waysBack(this.#context, session, kept).length === 0)
        return leaveToPerson(this.#context, session, kept, NOT_BROUGHT_BACK);
    }
    await this.wait(session, kept);
  }

  /** No composer is visible, or someone types: it is tried again until that is over. */
  async wait(session: LiveSession, kept: KeptDraft): Promise<void> {
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
    const [first, second] = waysBack(this.#context, session, kept);
    if (first === undefined) return false;
    // The text is the person's own, and an interrupt may have set it aside while they had the keyboard.
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
    if (back !== undefined) await markRestored(this.#context, session, kept);
    else await leaveToPerson(this.#context, session, kept, notBack(await session.observe()));
    return true;
  }

  /** After the end of a turn, at start-up, or on the person's request: every draft that is still set aside. */
  async restoreOpen(session: LiveSession, tries = RESTORE_TRIES): Promise<KeptDraft | undefined> {
    const open = openDraft(this.#context, session);
    if (open === undefined) return undefined;
    await session.lock.hold(async () => {
      // It may have come back while someone else held the terminal's lock.
      const still = openDraft(this.#context, session);
      if (still?.id === open.id) await this.restore(session, still, tries);
    });
    return this.#context.store.read
      .keptDrafts({ sessionId: session.record.id })
      .find(({ id }) => id === open.id);
  }
}

/** The keys to press, and the next ones if the text does not appear. */
function waysBack(
  context: OfficeContext,
  session: LiveSession,
  kept: KeptDraft,
): readonly (readonly Stroke[])[] {
  const keeping = session.profile.draftKeeping(session.record.version);
  if (keeping.how === "retype" && kept.how === "retype") return [keeping.retype(kept.text)];
  if (keeping.how === "history" && kept.how === "history") {
    // One step back is the newest entry: first what was submitted since, then the draft.
    const since = submittedSince(context, session, kept);
    const back = Array.from({ length: since + 1 }, () => keeping.recall).flat();
    // After a crash, one more prompt may have been submitted without proof.
    return since === 0 ? [back, keeping.recall] : [back];
  }
  // Even if no stash is shown: this release may show it differently, and without a stash the key does nothing.
  return keeping.how === "stash" && kept.how === "stash" ? [keeping.pop] : [];
}

function submittedSince({ store }: OfficeContext, session: LiveSession, kept: KeptDraft): number {
  const attempts = store.read
    .attemptedIn(session.record.id, SENT, MOST_SINCE)
    .map(({ delivery }) => delivery.attempt)
    .filter((attempt) => attempt?.transport === "paste" && attempt.startedAt >= kept.keptAt);
  return new Set(attempts.map((attempt) => attempt?.token)).size;
}
