/**
 * Sets a person's unsent text aside so that a message can be typed. Called by the paste rung under the terminal's lock.
 * The text is on disk before the first key that moves it; `restore-drafts.ts` brings it back.
 */
import type { DraftReading, Reading } from "../../../core/readiness/reading.ts";
import type { Screen } from "../../../core/readiness/screen.ts";
import type { DraftKeeping } from "../../../ports/profile.ts";
import type { KeptDraft } from "../../../ports/store.ts";
import type { GateExpectation, Stroke } from "../../../ports/terminal.ts";
import type { OfficeContext } from "../../base/context.ts";
import type { LiveSession } from "../../presence/live-session.ts";
import type { Observation } from "../../presence/observation.ts";
import { type Held, holdFor, refusalHold } from "../gatekeeping.ts";
import { leaveToPerson, openDraft, settleDraft } from "./record.ts";
import { COMES_BACK_MS, type RestoreDrafts } from "./restore-drafts.ts";
import { whereDraftIs } from "./seen.ts";

type TextDraft = Extract<DraftReading, { kind: "text" }>;
type Cleared =
  | {
      readonly kind: "cleared";
      readonly kept: KeptDraft;
      readonly observation: Observation;
      readonly screen: Screen;
    }
  | Held;

/** Twice: after the first press, the person may have restored it themselves. */
const MOST_PRESSES = 2;

export class KeepDrafts {
  readonly #context: OfficeContext;
  readonly #restoring: RestoreDrafts;
  /** A draft that stayed in place, and how often: the key is not pressed endlessly for the same one. */
  readonly #immovable = new WeakMap<LiveSession, { readonly text: string; readonly presses: number }>();

  constructor(context: OfficeContext, restoring: RestoreDrafts) {
    this.#context = context;
    this.#restoring = restoring;
  }

  /** Why this draft cannot be set aside, or undefined. */
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
    return openDraft(this.#context, session) !== undefined
      ? "another draft is still set aside: bellhop draft show"
      : undefined;
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
    return this.#restoring.orLater(session, () => this.#clear(session, kept, keeping.clear, expectation));
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
      await settleDraft(this.#context, session, kept, "restored", "never moved: someone typed");
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

  /** Nothing is typed: the message waits, and the text is where the screen shows it. */
  async #notAside(session: LiveSession, kept: KeptDraft): Promise<Held> {
    const { reading } = await session.observe();
    const where = whereDraftIs(reading, kept);
    if (where === "in-composer") {
      this.#stayed(session, reading);
      const note = "never moved: the program's key to set text aside had no effect";
      await settleDraft(this.#context, session, kept, "restored", note);
    } else if (kept.how === "stash") {
      // It may be in the program's stash: look for it until it is back in the composer.
      await this.#restoring.wait(session, kept);
    } else await leaveToPerson(this.#context, session, kept, "its composer did not become empty");
    return where === "in-composer"
      ? holdFor(
          this.#context,
          "typing",
          "when the text in its composer is sent or removed (the program's key to set text aside had no effect)",
        )
      : holdFor(
          this.#context,
          "unknown",
          "when its composer is empty: Bellhop tried to set the text there aside, and could not see whether that worked",
        );
  }

  #stayed(session: LiveSession, reading: Reading): void {
    if (reading.kind !== "composer" || reading.draft.kind !== "text") return;
    const { text } = reading.draft;
    const before = this.#immovable.get(session);
    const presses = before?.text === text ? before.presses + 1 : 1;
    this.#immovable.set(session, { text, presses });
  }

  /** Wait even over an empty composer: a stash that is not shown would come back while we type. */
  whyWait(session: LiveSession, reading: Reading): string | undefined {
    if (
      reading.kind !== "composer" ||
      reading.stash === "shown" ||
      openDraft(this.#context, session)?.how !== "stash"
    )
      return undefined;
    return "when the text that was set aside is back in its composer: bellhop draft show";
  }
}
