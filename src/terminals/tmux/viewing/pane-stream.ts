/**
 * The copies of one pane, all fed by one control client. Each gets a picture, and then what the pane writes from that
 * very reply on: tmux answers a capture between two pieces of output.
 *
 *   waiting ─▶ (captured) live ─▶ resting ─▶ waiting …
 *
 * While nobody is live or waiting, tmux is asked to leave the pane out.
 */
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Picture } from "../../../ports/screen-view.ts";
import type { Block, ControlConnection } from "../control/control.ts";
import { CAPTURE_REPLIES, type Capture, captureCommands, readCapture } from "./capture.ts";
import { OutputText } from "./output-text.ts";
import { PenTracker } from "./pen-tracker.ts";
import { replay } from "./replay.ts";

const CAPTURE_MS = 5_000;
const FLOW_MS = 5_000;
const AGAIN_AFTER_MS = 50;
/** A screen that imitates the end of a reply cannot be copied while it shows that. */
const MOST_FAILURES = 5;
const TITLE_CHARACTERS = 256;

export interface Looker {
  drew(picture: Picture): void;
  wrote(text: string): void;
}

export interface PaneStreamParts {
  readonly pane: string;
  /** The session of the client. */
  readonly session: string;
  readonly panePid: number;
  readonly connection: Pick<ControlConnection, "run">;
  readonly clock: Clock;
  /** The pane is not in this session any more, or not there at all. */
  onLeft(where: "elsewhere" | "gone"): void;
  onUnreadable(why: string): void;
}

export class PaneStream {
  readonly #parts: PaneStreamParts;
  readonly #lookers = new Map<Looker, "waiting" | "live" | "resting">();
  readonly #text = new OutputText();
  readonly #pen = new PenTracker();
  /** Whether the pen was known at the last picture. */
  #drawnWithPen = true;
  #windowId: string | undefined;
  /** Whether tmux sends what the pane writes. */
  #flow: "flowing" | "paused" = "flowing";
  #capturing: "no" | "asked" | "outdated" = "no";
  #failures = 0;
  #closed = false;

  constructor(parts: PaneStreamParts) {
    this.#parts = parts;
  }

  get isWatched(): boolean {
    return this.#lookers.size > 0;
  }

  /** Also for one that missed something. */
  join(looker: Looker): void {
    this.#lookers.set(looker, "waiting");
    this.#go();
    this.#capture();
  }

  rest(looker: Looker): void {
    if (this.#lookers.get(looker) === "live") this.#lookers.set(looker, "resting");
    this.#pauseUnwatched();
  }

  leave(looker: Looker): void {
    this.#lookers.delete(looker);
    this.#pauseUnwatched();
  }

  close(): void {
    this.#closed = true;
    this.#lookers.clear();
  }

  /** `undefined`: it wrote something that is not known. */
  heard(data: Buffer | undefined): void {
    const text = data === undefined ? undefined : this.#text.push(data);
    if (text === undefined) this.#missed();
    if (text === undefined || text === "") return;
    this.#pen.take(text);
    // What was written since the picture may have been written with another pen than the copies have.
    if (!this.#drawnWithPen && this.#pen.isKnown) {
      this.#redraw();
      return;
    }
    for (const [looker, state] of this.#lookers) if (state === "live") looker.wrote(text);
  }

  /** We were too slow for tmux, or asked for it ourselves. */
  paused(): void {
    if (this.#flow === "paused") return;
    this.#flow = "paused";
    this.#missed();
  }

  /** The window's layout changed: its panes may have another size. */
  layoutChanged(windowId: string): void {
    if (windowId === this.#windowId) this.#redraw();
  }

  #missed(): void {
    this.#gap();
    this.#redraw();
  }

  #gap(): void {
    this.#text.gap();
    this.#pen.forget();
  }

  #redraw(): void {
    for (const [looker, state] of this.#lookers) if (state === "live") this.#lookers.set(looker, "waiting");
    if (this.#capturing === "asked") this.#capturing = "outdated";
    this.#go();
    this.#capture();
  }

  #isWanted(): boolean {
    return [...this.#lookers.values()].some((state) => state !== "resting");
  }

  #pauseUnwatched(): void {
    if (this.#closed || this.#isWanted() || this.#flow === "paused") return;
    this.#flow = "paused";
    this.#gap();
    this.#setFlow("pause");
  }

  #go(): void {
    if (this.#closed || !this.#isWanted() || this.#flow === "flowing") return;
    this.#flow = "flowing";
    this.#setFlow("continue");
  }

  #setFlow(how: "pause" | "continue"): void {
    const { connection, pane } = this.#parts;
    void connection.run(`refresh-client -A "${pane}:${how}"`, FLOW_MS);
  }

  #capture(): void {
    const isAwaited = [...this.#lookers.values()].includes("waiting");
    if (this.#closed || this.#capturing !== "no" || !isAwaited) return;
    this.#capturing = "asked";
    const { connection, pane, session, clock } = this.#parts;
    let left: "elsewhere" | "gone" | undefined;
    const onBlock = (blocks: readonly Block[]): void => {
      if (blocks.length < CAPTURE_REPLIES && blocks.every(({ ok }) => ok)) return;
      const reply = readCapture(blocks, pane);
      if (reply.kind === "gone") left = "gone";
      if (reply.kind !== "capture") return;
      if (reply.capture.panePid !== this.#parts.panePid) left = "gone";
      else if (!reply.capture.isHere) left = "elsewhere";
      else this.#captured(reply.capture);
    };
    void connection.run(captureCommands(pane, session), CAPTURE_MS, onBlock).then((outcome) => {
      if (this.#closed) return;
      const isOutdated = this.#capturing === "outdated";
      this.#capturing = "no";
      if (left !== undefined) return this.#parts.onLeft(left);
      // The end of the connection is told by itself.
      if (outcome.kind === "lost" || outcome.kind === "unsent") return;
      if (outcome.kind === "answered" && !this.#isAwaiting()) {
        this.#failures = 0;
        return;
      }
      if (isOutdated && outcome.kind === "answered") return this.#capture();
      this.#failures += 1;
      if (this.#failures > MOST_FAILURES) {
        const cause = outcome.kind === "answered" ? "tmux tells it in an unknown form" : outcome.cause;
        return this.#parts.onUnreadable(cause);
      }
      if (outcome.kind === "garbled") this.#missedSilently();
      clock.after(AGAIN_AFTER_MS, () => this.#capture());
    });
  }

  /** What a garbled reply has shown is void. */
  #missedSilently(): void {
    this.#gap();
    for (const [looker, state] of this.#lookers) if (state === "live") this.#lookers.set(looker, "waiting");
  }

  #isAwaiting(): boolean {
    return [...this.#lookers.values()].includes("waiting");
  }

  #captured(capture: Capture): void {
    if (this.#capturing === "outdated") return;
    this.#windowId = capture.windowId;
    const { cols, rows } = capture;
    this.#drawnWithPen = this.#pen.isKnown;
    const data = replay(capture, this.#pen.text, this.#text.begunAt(capture.unfinished));
    const picture = { cols, rows, data, title: sanitiseLine(capture.title, TITLE_CHARACTERS) };
    for (const [looker, state] of this.#lookers) {
      if (state !== "waiting") continue;
      this.#lookers.set(looker, "live");
      looker.drew(picture);
    }
  }
}
