/**
 * The terminals that somebody looks at, who looks, and who has the keyboard. A door opens viewers here; the office says
 * when a session has gone. It types only for whoever has the keyboard, under the terminal's lock, and decides nothing
 * about messages: while a keyboard is taken, their couriers see that in the terminal.
 */
import { BellhopError } from "../../core/errors.ts";
import type { SessionId } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import {
  FREE,
  hasKeyboard,
  KEYBOARD_IDLE_MS,
  type Keyboard,
  type KeyboardEvent,
  keyboardFor,
  keyboardStep,
} from "../../core/readiness/keyboard.ts";
import type { ScreenState } from "../../wire/shapes/screens.ts";
import type { Claims } from "../../wire/verbs/claims.ts";
import type { ScreenReading } from "../../wire/verbs/streams.ts";
import type { Registrar } from "../arrivals/registrar.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { KeyQueue } from "./key-queue.ts";
import { Viewer } from "./viewer.ts";

export const SCREEN_LIMITS = {
  /** Of one terminal. */
  viewers: 64,
} as const;

interface ScreensParts extends Ground {
  readonly registrar: Pick<Registrar, "scan">;
}

interface Seat {
  readonly viewer: Viewer;
  readonly number: number;
  /** Who looks, for the others. */
  readonly words: string;
}

/** One terminal that is looked at. */
interface Looked {
  readonly session: LiveSession;
  readonly seats: Map<number, Seat>;
  keyboard: Keyboard;
  /** Who has it, or had it last. */
  holder: string | undefined;
  cancelIdle: () => void;
  numbers: number;
}

export class Screens {
  readonly #parts: ScreensParts;
  readonly #looked = new Map<SessionId, Looked>();

  constructor(parts: ScreensParts) {
    this.#parts = parts;
  }

  async open(who: string, ready: () => void, claims: Claims): Promise<ScreenSeat> {
    const session = await this.#sessionOf(who);
    const looked = this.#lookedAt(session);
    if (looked.seats.size >= SCREEN_LIMITS.viewers) throw tooMany(session);
    looked.numbers += 1;
    const number = looked.numbers;
    const { clock } = this.#parts.context;
    const viewer = new Viewer({
      clock,
      ready,
      state: () => stateFor(looked, number),
      takenElsewhere: (is) => this.#step(looked, { kind: "elsewhere", is }),
      onOver: () => this.#leave(looked, number),
    });
    looked.seats.set(number, { viewer, number, words: wordsFor(claims) });
    try {
      viewer.looksThrough(await session.terminal.view(viewer));
    } catch (error) {
      this.#leave(looked, number);
      throw error;
    }
    // It may have gone while its terminal was asked.
    if (!looked.seats.has(number)) viewer.view?.close();
    else this.#tell(looked);
    const queue = new KeyQueue((keys) => this.#type(looked, number, keys));
    return {
      sessionId: session.record.id,
      kind: session.identity.kind === "pty" ? "hosted" : "tmux",
      viewer: number,
      take: () => viewer.take(),
      takeKeyboard: () => this.#take(looked, number),
      giveKeyboardBack: async () => this.#giveBack(looked, number),
      keys: async (keys) => {
        if (!hasKeyboard(looked.keyboard, number)) throw notTaken(looked);
        this.#step(looked, { kind: "key", by: number, at: clock.monotonic() });
        return queue.add(keys);
      },
      close: () => {
        this.#leave(looked, number);
        viewer.close();
      },
    };
  }

  /** Its program has ended, or another one is there now. */
  left(session: LiveSession): void {
    const looked = this.#looked.get(session.record.id);
    if (looked?.session !== session) return;
    for (const seat of [...looked.seats.values()]) {
      this.#leave(looked, seat.number);
      seat.viewer.end("the program has ended");
      seat.viewer.view?.close();
    }
  }

  closeAll(): void {
    for (const looked of [...this.#looked.values()]) {
      for (const seat of [...looked.seats.values()]) {
        this.#leave(looked, seat.number);
        seat.viewer.close();
      }
    }
  }

  async #sessionOf(who: string): Promise<LiveSession> {
    const { directory, registrar } = this.#parts;
    const address = directory.resolve(who);
    const live = directory.takerOfMailbox(address);
    if (live !== undefined) return live;
    // It may have started a moment ago.
    await registrar.scan();
    const found = directory.takerOfMailbox(address);
    if (found === undefined) throw notRunning(who);
    return found;
  }

  #lookedAt(session: LiveSession): Looked {
    const known = this.#looked.get(session.record.id);
    if (known?.session === session) return known;
    const looked: Looked = {
      session,
      seats: new Map(),
      keyboard: FREE,
      holder: undefined,
      cancelIdle: () => {},
      numbers: 0,
    };
    this.#looked.set(session.record.id, looked);
    return looked;
  }

  #leave(looked: Looked, number: number): void {
    if (!looked.seats.delete(number)) return;
    this.#step(looked, { kind: "give-back", by: number });
    this.#tell(looked);
    const { id } = looked.session.record;
    if (looked.seats.size > 0 || this.#looked.get(id) !== looked) return;
    looked.cancelIdle();
    this.#looked.delete(id);
  }

  async #take(looked: Looked, number: number): Promise<void> {
    const seat = looked.seats.get(number);
    const view = seat?.viewer.view;
    if (seat === undefined || view === undefined) throw ended(looked);
    if (hasKeyboard(looked.keyboard, number)) return;
    this.#step(looked, { kind: "take", by: number, at: this.#parts.context.clock.monotonic() }, seat.words);
    if (!hasKeyboard(looked.keyboard, number)) throw taken(looked);
    // Under the lock: what is being typed now is finished first.
    const outcome = await looked.session.lock.hold(() => view.takeKeyboard());
    if (outcome.kind === "taken" && hasKeyboard(looked.keyboard, number)) return;
    if (outcome.kind === "taken") view.giveKeyboardBack();
    this.#step(looked, { kind: "give-back", by: number });
    if (outcome.kind === "elsewhere") {
      this.#step(looked, { kind: "elsewhere", is: true });
      throw taken(looked);
    }
    throw refused(looked, outcome.kind === "refused" ? outcome.why : "it was given back meanwhile");
  }

  #giveBack(looked: Looked, number: number): void {
    this.#step(looked, { kind: "give-back", by: number });
  }

  async #type(looked: Looked, number: number, keys: string): Promise<void> {
    await looked.session.lock.hold(async () => {
      const view = looked.seats.get(number)?.viewer.view;
      // It may have been lost while these keys waited for their turn.
      if (view === undefined || !hasKeyboard(looked.keyboard, number)) throw notTaken(looked);
      const outcome = await view.type(keys);
      if (outcome.kind === "typed") return;
      if (outcome.kind === "refused" && outcome.keyboard === "lost") this.#giveBack(looked, number);
      throw refused(looked, outcome.why, outcome.kind);
    });
  }

  /** The only place that changes who has the keyboard: the terminal and everyone who looks are told. */
  #step(looked: Looked, event: KeyboardEvent, words?: string): void {
    const before = looked.keyboard;
    looked.keyboard = keyboardStep(before, event);
    if (looked.keyboard === before) return;
    if (looked.keyboard.at === "taken") this.#watchIdle(looked, looked.keyboard.usedAt);
    else looked.cancelIdle();
    if (looked.keyboard.at === before.at) return;
    looked.holder = looked.keyboard.at === "elsewhere" ? AT_ITS_TERMINAL : words;
    if (before.at === "taken") looked.seats.get(before.by)?.viewer.view?.giveKeyboardBack();
    this.#tell(looked);
  }

  #watchIdle(looked: Looked, usedAt: number): void {
    const { clock } = this.#parts.context;
    looked.cancelIdle();
    looked.cancelIdle = clock.after(Math.max(0, usedAt + KEYBOARD_IDLE_MS - clock.monotonic()), () =>
      this.#step(looked, { kind: "look", at: clock.monotonic() }),
    );
  }

  #tell(looked: Looked): void {
    for (const { viewer } of looked.seats.values()) viewer.stateChanged();
  }
}

/** Whoever uses its keyboard was checked for that. */
export interface ScreenSeat extends Omit<ScreenReading, "keyboard"> {
  takeKeyboard(): Promise<void>;
  giveKeyboardBack(): Promise<void>;
}

const AT_ITS_TERMINAL = "somebody at its terminal";

function stateFor({ keyboard, holder, seats }: Looked, number: number): ScreenState {
  const at = keyboardFor(keyboard, number);
  return { keyboard: at, ...present({ holder: at === "taken" ? holder : undefined }), viewers: seats.size };
}

function wordsFor({ agent, user }: Claims): string {
  return agent === undefined ? `${user} in another window` : `the agent "${agent}"`;
}

const GIVEN_BACK = `Try again when it is given back: at the latest ${KEYBOARD_IDLE_MS / 60_000} minutes after the last key.`;

function taken({ session, holder = "somebody else", keyboard }: Looked): BellhopError {
  return new BellhopError("keyboard.taken", {
    message: `The keyboard of "${session.record.agent}" is taken: ${holder} has it.`,
    next: keyboard.at === "elsewhere" ? "Try again when they have given it back." : GIVEN_BACK,
  });
}

function notTaken({ session }: Looked): BellhopError {
  return new BellhopError("keyboard.not_taken", {
    message: `You do not have the keyboard of "${session.record.agent}", so nothing was typed.`,
    next: "Take it first.",
  });
}

function refused({ session }: Looked, why: string, kind: "refused" | "unknown" = "refused"): BellhopError {
  const what = kind === "unknown" ? "It is not known whether these keys were typed" : "Nothing was typed";
  return new BellhopError("keyboard.refused", {
    message: `${what} into the terminal of "${session.record.agent}": ${why}.`,
    next: "Look at the terminal, then try again.",
  });
}

function ended({ session }: Looked): BellhopError {
  return new BellhopError("session.exited", {
    message: `"${session.record.agent}" is no longer looked at: its terminal is gone.`,
    next: 'See who runs with "bellhop ls".',
  });
}

function notRunning(who: string): BellhopError {
  return new BellhopError("session.exited", {
    message: `No program runs in a terminal for "${who}".`,
    next: 'See who runs with "bellhop ls".',
  });
}

function tooMany({ record }: LiveSession): BellhopError {
  return new BellhopError("screen.too_many", {
    message: `${SCREEN_LIMITS.viewers} viewers look at "${record.agent}" already.`,
    next: "Close some of them.",
  });
}
