/** The terminals that one WebSocket looks at, by the numbers that the caller has given them. All end with it. */
import { BellhopError } from "../../core/errors.ts";
import { malformed } from "../../wire/lines.ts";
import type { ScreenFrame } from "../../wire/shapes/screens.ts";
import type { Claims } from "../../wire/verbs/claims.ts";
import type { ScreenReading, Streams } from "../../wire/verbs/streams.ts";
import { NewestTold } from "../caller/newest-told.ts";
import type { Outlet } from "../caller/outlet.ts";
import { answerFrame } from "./frames.ts";

interface ScreensParts {
  readonly streams: Pick<Streams, "screen">;
  readonly outlet: Pick<Outlet, "isOpen" | "hasRoom" | "drained" | "write">;
  /** Terminals that one connection may look at. */
  readonly most: number;
}

interface OpenScreen {
  readonly told: NewestTold<ScreenFrame>;
  /** Undefined while it is being opened. */
  reading?: ScreenReading;
}

export class Screens {
  readonly #parts: ScreensParts;
  readonly #open = new Map<number, OpenScreen>();
  #over = false;

  constructor(parts: ScreensParts) {
    this.#parts = parts;
  }

  /** Nothing is told before `begin`. */
  async open(
    screen: number,
    who: string,
    claims: Claims,
  ): Promise<{ readonly reading: ScreenReading; begin(): void }> {
    const { streams, outlet, most } = this.#parts;
    if (this.#open.has(screen))
      throw malformed(`Screen ${screen} is open already.`, "Choose another number.");
    if (this.#open.size >= most) throw tooMany(most);
    const told = new NewestTold<ScreenFrame>(outlet, (frame) => screenFrame(screen, frame));
    const opened: OpenScreen = { told };
    this.#open.set(screen, opened);
    try {
      const reading = await streams.screen({ who }, () => told.ready(), claims);
      opened.reading = reading;
      told.reads({ take: () => this.#take(screen, opened, reading), close: () => reading.close() });
      // It was closed while it was being opened, or the caller has left.
      if (this.#over || this.#open.get(screen) !== opened) told.close();
      return { reading, begin: () => told.begin() };
    } catch (error) {
      if (this.#open.get(screen) === opened) this.#open.delete(screen);
      throw error;
    }
  }

  close(screen: number): void {
    const opened = this.#open.get(screen);
    if (opened === undefined) throw unknown(screen);
    this.#open.delete(screen);
    opened.told.close();
  }

  async keyboard(screen: number, take: boolean): Promise<void> {
    await this.#reading(screen).keyboard(take);
  }

  async keys(screen: number, keys: string): Promise<void> {
    await this.#reading(screen).keys(keys);
  }

  closeAll(): void {
    this.#over = true;
    for (const { told } of this.#open.values()) told.close();
    this.#open.clear();
  }

  #take(screen: number, opened: OpenScreen, reading: ScreenReading): ScreenFrame | undefined {
    const frame = reading.take();
    // Nothing follows, so the number is free again.
    if (frame !== undefined && "ended" in frame && this.#open.get(screen) === opened)
      this.#open.delete(screen);
    return frame;
  }

  #reading(screen: number): ScreenReading {
    const reading = this.#open.get(screen)?.reading;
    if (reading === undefined) throw unknown(screen);
    return reading;
  }
}

export function screenFrame(screen: number, frame: ScreenFrame): Buffer {
  if ("snapshot" in frame) return answerFrame({ type: "screen.snapshot", screen, ...frame.snapshot });
  if ("output" in frame) return answerFrame({ type: "screen.output", screen, data: frame.output });
  if ("state" in frame) return answerFrame({ type: "screen.state", screen, ...frame.state });
  return answerFrame({ type: "screen.ended", screen, why: frame.ended });
}

function unknown(screen: number): BellhopError {
  return new BellhopError("screen.unknown", {
    message: `This connection has no open screen ${screen}.`,
    next: 'Open it with "screen.open".',
  });
}

function tooMany(most: number): BellhopError {
  return new BellhopError("screen.too_many", {
    message: `This connection already looks at ${most} terminals.`,
    next: 'Close one with "screen.close", or open another connection.',
  });
}
