/**
 * One viewer of one terminal: what they have not taken yet. `screens` opens it and a door takes from it. It never asks
 * more of the terminal than its reader can take, and keeps at most one picture and a little output.
 *
 *   awaiting ─▶ live ─▶ behind ─▶ (the reader takes again) awaiting …        any ─▶ ended
 */
import { FloodGauge } from "../../core/flood-gauge.ts";
import { present } from "../../core/present.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Picture, View, ViewEar } from "../../ports/screen-view.ts";
import type { ScreenFrame, ScreenState } from "../../wire/shapes/screens.ts";

export const VIEWER_LIMITS = {
  /** Output that waits for its reader; with more than this, a new picture costs less. */
  outputCharacters: 256 * 1024,
  /** Output within this time is told together: a screen shows no more than sixty pictures in a second. */
  batchMs: 16,
  /** Nobody can read more than this: instead of all of it, they are shown a picture now and then. */
  flood: { characters: 128 * 1024, withinMs: 100, restMs: 250 },
} as const;

const { flood: FLOOD } = VIEWER_LIMITS;

export interface ViewerParts {
  readonly clock: Clock;
  /** There may be something to take. */
  ready(): void;
  state(): ScreenState;
  takenElsewhere(is: boolean): void;
  /** What it looked at no longer exists. */
  onOver(): void;
}

export class Viewer implements ViewEar {
  readonly #parts: ViewerParts;
  #at: "awaiting" | "live" | "behind" = "awaiting";
  #view: View | undefined;
  #picture: Picture | undefined;
  #output: string[] = [];
  #outputCharacters = 0;
  #told: "nothing" | "snapshot" = "nothing";
  #toldState = "";
  #ended: { readonly why: string; readonly isTold: boolean } | undefined;
  #tookAtMonotonic = Number.NEGATIVE_INFINITY;
  readonly #gauge = new FloodGauge({ most: FLOOD.characters, withinMs: FLOOD.withinMs });
  /** Until its timer says otherwise: a timer may fire a little earlier than another clock says. */
  #isResting = false;
  #cancelRest: (() => void) | undefined;
  #cancelBatch: (() => void) | undefined;

  constructor(parts: ViewerParts) {
    this.#parts = parts;
  }

  /** What it looks through. */
  looksThrough(view: View): void {
    this.#view = view;
  }

  get view(): View | undefined {
    return this.#view;
  }

  drew(picture: Picture): void {
    const isUntaken = this.#picture !== undefined;
    this.#at = "live";
    this.#picture = picture;
    this.#dropOutput();
    // The reader is slower than the pictures: the next is asked for when this one is taken.
    if (isUntaken) this.#rest();
    this.#parts.ready();
  }

  wrote(text: string): void {
    if (this.#at !== "live") return;
    this.#output.push(text);
    this.#outputCharacters += text.length;
    if (
      this.#gauge.isOver(text.length, this.#parts.clock.monotonic()) ||
      this.#outputCharacters > VIEWER_LIMITS.outputCharacters
    )
      this.#fallBehind();
    else this.#readySoon();
  }

  takenElsewhere(is: boolean): void {
    this.#parts.takenElsewhere(is);
  }

  over(why: string): void {
    this.end(why);
    this.#parts.onOver();
  }

  /** Tells this as the last. */
  end(why: string): void {
    this.#ended ??= { why, isTold: false };
    this.#parts.ready();
  }

  stateChanged(): void {
    this.#parts.ready();
  }

  close(): void {
    this.#cancelBatch?.();
    this.#cancelRest?.();
    this.#ended = { why: "", isTold: true };
    this.#dropOutput();
    this.#picture = undefined;
    this.#view?.close();
  }

  take(): ScreenFrame | undefined {
    if (this.#ended?.isTold === true) return undefined;
    this.#tookAtMonotonic = this.#parts.clock.monotonic();
    if (this.#at === "behind" && !this.#isResting) this.#catchUp();
    return this.#takeSnapshot() ?? this.#takeState() ?? this.#takeOutput() ?? this.#takeEnd();
  }

  #takeSnapshot(): ScreenFrame | undefined {
    const picture = this.#picture;
    if (picture === undefined) return undefined;
    this.#picture = undefined;
    if (this.#told === "nothing") this.#told = "snapshot";
    const { cols, rows, data, title } = picture;
    return { snapshot: { cols, rows, data, ...present({ title: title === "" ? undefined : title }) } };
  }

  /** Once after the first snapshot, then whenever it has changed. */
  #takeState(): ScreenFrame | undefined {
    if (this.#told === "nothing" || this.#ended !== undefined) return undefined;
    const state = this.#parts.state();
    const text = JSON.stringify(state);
    if (text === this.#toldState) return undefined;
    this.#toldState = text;
    return { state };
  }

  #takeOutput(): ScreenFrame | undefined {
    if (this.#output.length === 0) return undefined;
    const output = this.#output.join("");
    this.#dropOutput();
    return { output };
  }

  #takeEnd(): ScreenFrame | undefined {
    if (this.#ended === undefined) return undefined;
    this.#ended = { why: this.#ended.why, isTold: true };
    return { ended: this.#ended.why };
  }

  #catchUp(): void {
    this.#at = "awaiting";
    this.#view?.again();
  }

  #rest(): void {
    this.#at = "behind";
    this.#view?.rest();
  }

  #fallBehind(): void {
    this.#picture = undefined;
    this.#dropOutput();
    this.#rest();
    const { clock, ready } = this.#parts;
    this.#cancelRest?.();
    this.#isResting = true;
    this.#cancelRest = clock.after(FLOOD.restMs, () => {
      this.#isResting = false;
      ready();
    });
  }

  #dropOutput(): void {
    this.#output = [];
    this.#outputCharacters = 0;
  }

  #readySoon(): void {
    if (this.#cancelBatch !== undefined) return;
    const { clock, ready } = this.#parts;
    const restMs = this.#tookAtMonotonic + VIEWER_LIMITS.batchMs - clock.monotonic();
    // What follows a key or a pause is told at once.
    if (restMs <= 0) ready();
    else {
      this.#cancelBatch = clock.after(restMs, () => {
        this.#cancelBatch = undefined;
        ready();
      });
    }
  }
}
