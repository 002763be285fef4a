/**
 * The copies of one pane, all fed by one control client. Each gets a picture, and then what the pane writes from that
 * very reply on: tmux answers a capture between two pieces of output.
 *
 *   waiting ─▶ (captured) live ─▶ resting ─▶ waiting …
 *
 * While nobody is live or waiting, tmux is asked to leave the pane out: writing it for us takes tmux as long as drawing
 * it. So it stays left out while a pane writes more than can be followed: those who wait are shown glimpses, pictures
 * without what scrolled off, until two are alike or it is time to try again.
 */
import { FloodGauge } from "../../../core/flood-gauge.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Picture } from "../../../ports/screen-view.ts";
import type { Block, ControlConnection } from "../control/control.ts";
import { CAPTURE_REPLIES, type Capture, captureCommands, HISTORY_ROWS, readCapture } from "./capture.ts";
import { afterGlimpse, BETWEEN_GLIMPSES_MS, type Flooded, floodedAfter, isGlimpsing } from "./glimpses.ts";
import { OutputText } from "./output-text.ts";
import { PenTracker } from "./pen-tracker.ts";
import { replay } from "./replay.ts";

const CAPTURE_MS = 5_000;
const FLOW_MS = 5_000;
const AGAIN_AFTER_MS = 50;
/** Bytes, as tmux writes them for us. */
const FLOOD = { most: 192 * 1024, withinMs: 100 } as const;
/** Whoever has followed it for this long can follow it. */
const FOLLOWED_MS = 3_000;
const GLIMPSE_HISTORY_ROWS = 1;
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
  /** It could not be followed when it was last tried. */
  #flooded: Flooded | undefined;
  #cancelGlimpse = (): void => {};
  readonly #gauge = new FloodGauge(FLOOD);
  /** The picture from which on it is followed; undefined while it is awaited. */
  #followedSince: number | undefined;
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
    if (this.#lookers.has(looker)) this.#lookers.set(looker, "resting");
    if (this.#pauseUnwatched()) this.#floods();
  }

  leave(looker: Looker): void {
    this.#lookers.delete(looker);
    this.#pauseUnwatched();
  }

  close(): void {
    this.#closed = true;
    this.#cancelGlimpse();
    this.#lookers.clear();
  }

  /** `undefined`: it wrote something that is not known. */
  heard(data: Buffer | undefined): void {
    // On its way before tmux heard that it is to be left out.
    if (this.#flow === "paused") return;
    // Also while a picture is awaited: it comes only behind all that was written before.
    if (data !== undefined && this.#gauge.isOver(data.length, this.#parts.clock.monotonic())) {
      this.#pause();
      this.#floods();
      this.#redraw();
      return;
    }
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

  /** tmux leaves it out already, because nobody looked. */
  leftOut(): void {
    this.#flow = "paused";
    this.#gap();
  }

  /** We were too slow for tmux, or asked for it ourselves. */
  paused(): void {
    if (this.#flow === "paused") return;
    this.#flow = "paused";
    this.#floods();
    this.#missed();
  }

  #floods(): void {
    const since = this.#followedSince ?? Number.POSITIVE_INFINITY;
    const isAnew = this.#parts.clock.monotonic() > since + FOLLOWED_MS;
    this.#flooded = floodedAfter(isAnew ? undefined : this.#flooded);
  }

  /** The window's layout changed, or it left a session: its panes may have another size, or be elsewhere. */
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

  /** Whether it was. */
  #pauseUnwatched(): boolean {
    if (this.#closed || this.#isWanted() || this.#flow === "paused") return false;
    this.#pause();
    return true;
  }

  #pause(): void {
    this.#flow = "paused";
    this.#gap();
    this.#setFlow("pause");
  }

  #go(): void {
    if (this.#closed || !this.#isWanted() || this.#flow === "flowing" || this.#isGlimpsing()) return;
    this.#flow = "flowing";
    this.#followedSince = undefined;
    this.#setFlow("continue");
  }

  #isGlimpsing(): boolean {
    return isGlimpsing(this.#flooded);
  }

  #setFlow(how: "pause" | "continue"): void {
    const { connection, pane } = this.#parts;
    void connection.run(`refresh-client -A "${pane}:${how}"`, FLOW_MS);
  }

  #capture(): void {
    if (this.#closed || this.#capturing !== "no" || this.#waiting().length === 0) return;
    this.#capturing = "asked";
    this.#cancelGlimpse();
    const { connection, pane, session, clock } = this.#parts;
    let left: "elsewhere" | "gone" | undefined;
    let isGlimpse = false;
    const onBlock = (blocks: readonly Block[]): void => {
      if (blocks.length < CAPTURE_REPLIES && blocks.every(({ ok }) => ok)) return;
      const reply = readCapture(blocks, pane);
      if (reply.kind === "gone") left = "gone";
      if (reply.kind !== "capture") return;
      if (reply.capture.panePid !== this.#parts.panePid) left = "gone";
      else if (!reply.capture.isHere) left = "elsewhere";
      else if (this.#flow === "flowing") this.#captured(reply.capture);
      else isGlimpse = this.#glimpsed(reply.capture);
    };
    const history = this.#flow === "flowing" ? HISTORY_ROWS : GLIMPSE_HISTORY_ROWS;
    void connection.run(captureCommands(pane, session, history), CAPTURE_MS, onBlock).then((outcome) => {
      if (this.#closed) return;
      const isOutdated = this.#capturing === "outdated";
      this.#capturing = "no";
      if (left !== undefined) return this.#parts.onLeft(left);
      // The end of the connection is told by itself.
      if (outcome.kind === "lost" || outcome.kind === "unsent") return;
      if (outcome.kind === "answered" && this.#waiting().length === 0) {
        this.#failures = 0;
        return;
      }
      if (isOutdated && outcome.kind === "answered") return this.#capture();
      if (isGlimpse && outcome.kind === "answered") {
        this.#failures = 0;
        this.#cancelGlimpse = clock.after(BETWEEN_GLIMPSES_MS, () => this.#capture());
        return;
      }
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

  #captured(capture: Capture): void {
    if (this.#capturing === "outdated") return;
    const picture = this.#pictureOf(capture);
    this.#followedSince = this.#parts.clock.monotonic();
    for (const looker of this.#waiting()) {
      this.#lookers.set(looker, "live");
      looker.drew(picture);
    }
  }

  /** Those who wait see it, and go on waiting. False: it is followed from now on, and another picture is on its way. */
  #glimpsed(capture: Capture): boolean {
    this.#flooded = afterGlimpse(this.#flooded, capture, this.#parts.clock.monotonic());
    if (!this.#isGlimpsing()) {
      this.#capturing = "outdated";
      this.#go();
      return false;
    }
    const picture = this.#pictureOf(capture);
    for (const looker of this.#waiting()) looker.drew(picture);
    return true;
  }

  #pictureOf(capture: Capture): Picture {
    this.#windowId = capture.windowId;
    const { cols, rows } = capture;
    this.#drawnWithPen = this.#pen.isKnown;
    const data = replay(capture, this.#pen.text, this.#text.begunAt(capture.unfinished));
    return { cols, rows, data, title: sanitiseLine(capture.title, TITLE_CHARACTERS) };
  }

  #waiting(): readonly Looker[] {
    return [...this.#lookers].flatMap(([looker, state]) => (state === "waiting" ? [looker] : []));
  }
}
