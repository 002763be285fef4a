/**
 * The hooks of one live session that wait for an answer. Signals open a window for a hook, the courier sees it as a way
 * in, and the hook rung hands a text over through it, once. It knows nothing of what the text is.
 */
import { continuedInARow, type HookMoment, NOBODY_KNOWS_HOW_OFTEN } from "../../core/hook-answer.ts";
import type { Clock } from "../../ports/clock.ts";

export const WINDOW_LIMITS = {
  /** How long a hook waits until somebody begins to hand over; its own deadline is longer. */
  openMs: 1_000,
  /** How long it then takes at most to write the hand-over down. */
  claimedMs: 600,
} as const;

export interface HookAsking {
  /** Known to the hook that asks and to nobody else. */
  readonly code: string;
  readonly moment: HookMoment;
  /** The program's own name for the event. */
  readonly event: string;
}

/**
 *   open ─claim─▶ claimed ─hand─▶ handed ─the hook reports─▶ printed
 *     └──close, time is up──┴──▶ shut
 */
type At = "open" | "claimed" | "handed" | "printed" | "shut";

export class HookWindow {
  readonly asking: HookAsking;
  /** The text, or undefined if there is none for this hook. */
  readonly answer: Promise<string | undefined>;
  /** Resolves when the hook reports that it has printed the text. */
  readonly printed: Promise<void>;
  readonly #clock: Clock;
  #at: At = "open";
  #answered: (text: string | undefined) => void = () => {};
  #hasPrinted: () => void = () => {};
  #cancel: () => void;

  constructor(asking: HookAsking, clock: Clock) {
    this.asking = asking;
    this.#clock = clock;
    this.answer = new Promise((resolve) => {
      this.#answered = resolve;
    });
    this.printed = new Promise((resolve) => {
      this.#hasPrinted = resolve;
    });
    this.#cancel = clock.after(WINDOW_LIMITS.openMs, () => this.close());
  }

  get isOpen(): boolean {
    return this.#at === "open";
  }

  /** Before anything is written down: whoever gets true hands over or closes. */
  claim(): boolean {
    if (this.#at !== "open") return false;
    this.#at = "claimed";
    this.#cancel();
    this.#cancel = this.#clock.after(WINDOW_LIMITS.claimedMs, () => this.close());
    return true;
  }

  /** False: too late, and the hook got nothing. */
  hand(text: string): boolean {
    if (this.#at !== "claimed") return false;
    this.#at = "handed";
    this.#cancel();
    this.#answered(text);
    return true;
  }

  hasPrinted(): void {
    if (this.#at !== "handed") return;
    this.#at = "printed";
    this.#hasPrinted();
  }

  /** Nothing for this hook. After a hand-over it changes nothing. */
  close(): void {
    if (this.#at !== "open" && this.#at !== "claimed") return;
    this.#at = "shut";
    this.#cancel();
    this.#answered(undefined);
  }
}

export class HookWindows {
  readonly #clock: Clock;
  #window: HookWindow | undefined;
  #inARow = NOBODY_KNOWS_HOW_OFTEN;
  #trust: "as-proven" | "withdrawn" = "as-proven";
  #delegates = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The one that can still be claimed. */
  get open(): HookWindow | undefined {
    return this.#window?.isOpen === true ? this.#window : undefined;
  }

  /** How often the program has gone on at the end of a turn, in a row. */
  get inARow(): number {
    return this.#inARow;
  }

  /** False after a text was printed and the program has shown no sign of it. */
  get isTrusted(): boolean {
    return this.#trust === "as-proven";
  }

  distrust(): void {
    this.#trust = "withdrawn";
  }

  /** A sub-agent may be at work, whose hooks after tools look like the agent's own. */
  get delegates(): boolean {
    return this.#delegates;
  }

  delegated(): void {
    this.#delegates = true;
  }

  /** One has begun or ended: sub-agents work within a turn. */
  turnChanged(): void {
    this.#delegates = false;
  }

  /** Undefined if another hook waits: of two at once, only one gets the text. */
  ask(asking: HookAsking): HookWindow | undefined {
    if (this.open !== undefined) return undefined;
    this.#window = new HookWindow(asking, this.#clock);
    return this.#window;
  }

  turnEnded(end: Parameters<typeof continuedInARow>[1]): void {
    this.#inARow = continuedInARow(this.#inARow, end);
  }

  /** The program has ended, or the daemon stops. */
  shut(): void {
    this.#window?.close();
  }
}
