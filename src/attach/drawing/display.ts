/** Keeps the copy of the program's screen and paints it, with our lines, whenever something has changed. */

import type { Size } from "../../screens/same-drawing.ts";
import type { Attachment } from "../attachment-state.ts";
import type { Timers } from "../timers.ts";
import { Painter } from "./painter.ts";
import { type Captions, picture } from "./picture.ts";
import { Replica, type Scroll } from "./replica.ts";

export const DISPLAY_LIMITS = {
  frameMs: 16,
  /** Delay after a look that found nothing to paint: a key may have changed nothing yet, but its echo is near. */
  unchangedMs: 2,
  /** How long to wait for a program that says it is drawing. */
  drawingMs: 200,
  /** Reading pauses above the first amount of undrawn output and resumes below the second. */
  unparsedBytes: 1024 * 1024,
  resumeBytes: 256 * 1024,
} as const;

export interface DisplaySurroundings {
  readonly captions: Captions;
  readonly timers: Timers;
  standing(): Attachment;
  window(): Size;
  write(text: string): void;
  now(): number;
  /** Whether to read more of the program's output. */
  flow(wanted: "more" | "no-more"): void;
}

export class Display {
  readonly #around: DisplaySurroundings;
  readonly #painter = new Painter();
  #replica: Replica;
  #paintedAt = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #drawingSince: number | undefined;

  constructor(size: Size, around: DisplaySurroundings) {
    this.#around = around;
    this.#replica = this.#copyOf(size);
  }

  /** A new connection begins with a full picture. */
  restart(size: Size): void {
    this.#replica.dispose();
    this.#replica = this.#copyOf(size);
  }

  drawn(bytes: Buffer): void {
    this.#replica.write(bytes);
    if (this.#replica.unparsedBytes > DISPLAY_LIMITS.unparsedBytes) this.#around.flow("no-more");
  }

  resized(size: Size): void {
    this.#replica.resize(size);
  }

  scroll(how: Scroll): void {
    this.#replica.scroll(how);
  }

  lastScreen(): readonly string[] {
    return this.#replica.text();
  }

  /** The window has changed, or another program has used it. */
  again(what: "rows" | "everything"): void {
    this.#painter.forget(what);
    this.soon();
  }

  /** Paints the next frame, at once if the last one is old enough. */
  soon(): void {
    const { timers, now } = this.#around;
    if (timers.has("frame")) return;
    const { frameMs, unchangedMs } = DISPLAY_LIMITS;
    const wait = Math.max(0, this.#paintedAt + frameMs - now(), this.#lookedAt + unchangedMs - now());
    timers.after("frame", wait, () => this.#paint());
  }

  close(): void {
    this.#replica.dispose();
  }

  #copyOf(size: Size): Replica {
    return new Replica(size, () => {
      if (this.#replica.unparsedBytes < DISPLAY_LIMITS.resumeBytes) this.#around.flow("more");
      this.soon();
    });
  }

  #paint(): void {
    const { captions, standing, window, write, now } = this.#around;
    this.#lookedAt = now();
    if (this.#isMidway()) {
      this.#paintedAt = this.#lookedAt;
      this.soon();
      return;
    }
    const at = standing();
    const replica = this.#replica;
    const view = {
      rows: replica.rows(),
      cursor: replica.cursor,
      modes: replica.modes,
      scrolledBack: replica.scrolledBack,
      scrollback: replica.scrollback,
    };
    const own = replica.title ?? at.host.title;
    const title = own === "" ? captions.agent : `${own} — ${captions.agent}`;
    const bell = replica.takeBells() > 0 ? "\x07" : "";
    const bytes = this.#painter.paint(picture(at, view, captions, window()), title) + bell;
    if (bytes === "") return;
    this.#paintedAt = this.#lookedAt;
    write(bytes);
  }

  #isMidway(): boolean {
    if (!this.#replica.isDrawing) {
      this.#drawingSince = undefined;
      return false;
    }
    this.#drawingSince ??= this.#lookedAt;
    return this.#lookedAt - this.#drawingSince < DISPLAY_LIMITS.drawingMs;
  }
}
