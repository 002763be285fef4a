/**
 * Tells one caller what a board or a terminal shows, in any protocol: a frame is taken only when the one before has
 * left, so that a slow reader gets fewer and newer ones.
 *
 *   waiting ─▶ resting ⇄ writing ─▶ closed
 */
import { type Outlet, whenRoom } from "./outlet.ts";

/** What one reader has not taken yet. */
interface Reading<Frame> {
  /** Undefined if there is nothing new. */
  take(): Frame | undefined;
  close(): void;
}

export class NewestTold<Frame> {
  readonly #outlet: Pick<Outlet, "isOpen" | "hasRoom" | "drained" | "write">;
  readonly #written: (frame: Frame) => string | Buffer;
  #reading: Reading<Frame> | undefined;
  #state: "waiting" | "resting" | "writing" | "closed" = "waiting";

  constructor(
    outlet: Pick<Outlet, "isOpen" | "hasRoom" | "drained" | "write">,
    written: (frame: Frame) => string | Buffer,
  ) {
    this.#outlet = outlet;
    this.#written = written;
  }

  /** There may be something to take. */
  ready(): void {
    if (this.#state === "resting") void this.#tell();
  }

  /** Sets what is told. */
  reads(reading: Reading<Frame>): void {
    this.#reading = reading;
    if (this.#state === "closed") this.close();
  }

  /** The caller has been answered. */
  begin(): void {
    if (this.#state !== "waiting") return;
    this.#state = "resting";
    this.ready();
  }

  close(): void {
    this.#state = "closed";
    this.#reading?.close();
    this.#reading = undefined;
  }

  async #tell(): Promise<void> {
    this.#state = "writing";
    while ((await whenRoom(this.#outlet, () => this.#tellOne())) === "written");
  }

  /** Counts as written once the system has accepted it. */
  #tellOne(): Promise<"written" | "gone"> | "nothing" {
    const frame = this.#isNow("writing") ? this.#reading?.take() : undefined;
    if (frame === undefined) {
      if (this.#isNow("writing")) this.#state = "resting";
      return "nothing";
    }
    return new Promise((resolve) => {
      if (this.#outlet.write(this.#written(frame), resolve) === "gone") resolve("gone");
    });
  }

  /** A call, because the state may change during an await. */
  #isNow(state: "writing"): boolean {
    return this.#state === state;
  }
}
