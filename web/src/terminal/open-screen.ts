/**
 * One terminal that is looked at over the page's connection. After each reconnect it is opened again, under another
 * number, so that nothing of the time before can be taken for what is there now.
 */
import type { Frame, Line } from "../connection/line.ts";
import type { Told } from "../connection/requests.ts";

/** Whose keys the program gets. */
export type Keyboard = "free" | "mine" | "taken";

export interface Picture {
  readonly cols: number;
  readonly rows: number;
  readonly data: string;
}

export interface ScreenEvents {
  snapshot(picture: Picture): void;
  output(data: string): void;
  keyboard(keyboard: Keyboard, holder: string | undefined): void;
  refused(error: Told): void;
  ended(why: string): void;
}

/** Of the page: numbers are not used twice. */
let lastNumber = 0;

export class OpenScreen {
  readonly #line: Line;
  readonly #who: string;
  readonly #events: ScreenEvents;
  readonly #ends: (() => void)[];
  #number = 0;

  constructor(line: Line, who: string, events: ScreenEvents) {
    this.#line = line;
    this.#who = who;
    this.#events = events;
    this.#ends = [
      this.#on("screen.snapshot", (frame) => events.snapshot(frame as unknown as Picture)),
      this.#on("screen.output", ({ data }) => events.output(String(data))),
      this.#on("screen.state", ({ keyboard, holder }) =>
        events.keyboard(keyboard as Keyboard, holder as string | undefined),
      ),
      this.#on("screen.ended", ({ why }) => events.ended(String(why))),
      ...["screen.open.error", "screen.keyboard.error", "screen.keys.error"].map((type) =>
        this.#on(type, (frame) => events.refused(frame as unknown as Told)),
      ),
      line.onLive(() => this.#open()),
    ];
  }

  /** Whoever looks has fallen behind: the newest picture instead of everything before it. */
  again(): void {
    this.#line.say({ type: "screen.close", screen: this.#number });
    this.#open();
  }

  take(): void {
    this.#line.say({ type: "screen.keyboard", screen: this.#number, take: true, reqId: this.#number });
  }

  giveBack(): void {
    this.#line.say({ type: "screen.keyboard", screen: this.#number, take: false, reqId: this.#number });
  }

  press(keys: string): void {
    this.#line.say({ type: "screen.keys", screen: this.#number, keys, reqId: this.#number });
  }

  close(): void {
    for (const end of this.#ends) end();
    this.#line.say({ type: "screen.close", screen: this.#number });
  }

  #open(): void {
    lastNumber += 1;
    this.#number = lastNumber;
    this.#events.keyboard("free", undefined);
    this.#line.say({ type: "screen.open", screen: this.#number, who: this.#who, reqId: this.#number });
  }

  /** Answers carry the number as what they answer. */
  #on(type: string, act: (frame: Frame) => void): () => void {
    return this.#line.hear(type, (frame) => {
      if ((frame.screen ?? frame.reqId) === this.#number) act(frame);
    });
  }
}
