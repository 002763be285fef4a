import { BellhopError } from "../../src/core/errors.ts";
import type { DeliveryState } from "../../src/core/message.ts";
import type { Step } from "../../src/office/base/steps.ts";
import type { OfficeClock } from "../../src/ports/clock.ts";
import type { BodyFiles } from "../../src/ports/files.ts";
import type { Inbox } from "../../src/ports/program.ts";
import type { PushSender } from "../../src/ports/push-sender.ts";
import type { Store, StoreWriter } from "../../src/ports/store.ts";
import type { Terminal } from "../../src/ports/terminal.ts";
import type { OpenWork } from "./clock.ts";

/** How the disk fails in a test, and what the store has refused. */
export interface Disk {
  state: "works" | "full";
  /** A change that would put a delivery into this state fails, and only that one. */
  refuses: DeliveryState | undefined;
  /** State changes that the table does not allow: the office must make none, whatever happens. */
  readonly disallowed: string[];
}

/**
 * One run of the daemon, from its start to its death. What a dead daemon began is never answered: none of its timers
 * fires, and nothing that it asks of the disk or a terminal happens.
 */
export class Life {
  readonly visited: Step[] = [];
  crashesAt: Step | undefined;
  onStep: (step: Step) => void = () => {};
  readonly ended: Promise<void>;
  readonly #work: OpenWork;
  #over = false;
  #tellEnd = (): void => {};

  constructor(work: OpenWork) {
    this.#work = work;
    this.ended = new Promise((resolve) => {
      this.#tellEnd = resolve;
    });
  }

  get over(): boolean {
    return this.#over;
  }

  end(): void {
    this.#over = true;
    this.#tellEnd();
  }

  readonly checkpoint = (step: Step): void => {
    this.visited.push(step);
    if (!this.#over) this.onStep(step);
    if (this.crashesAt !== step || this.#over) return;
    this.end();
    // Files are written in the background, where nobody would catch an error.
    if (step !== "accept.filed") throw new Error(`killed at ${step}`);
  };

  #unlessOver<T>(act: () => Promise<T>): Promise<T> {
    return this.#over ? new Promise<T>(() => {}) : act();
  }

  /** `skewMs`: how far its clock on the wall is ahead. */
  clock(clock: OfficeClock, skewMs: () => number): OfficeClock {
    return {
      elapsed: () => clock.elapsed(),
      offsetAt: (at) => clock.offsetAt(at),
      now: () => clock.now() + skewMs(),
      monotonic: () => clock.monotonic(),
      after: (delayMs, call) => clock.after(delayMs, () => this.#over || call()),
    };
  }

  store(store: Store, disk: Disk): Store {
    const writers = new WeakMap<StoreWriter, StoreWriter>();
    const refusingOnce = (tx: StoreWriter) => {
      const writer = writers.get(tx) ?? refusing(tx, disk);
      writers.set(tx, writer);
      return writer;
    };
    return {
      read: store.read,
      write: (change) =>
        this.#unlessOver(() => {
          if (disk.state === "full") return Promise.reject(diskFull());
          return this.#work.follow(store.write((tx) => change(refusingOnce(tx))));
        }),
      writeCounts: () => store.writeCounts(),
      trouble: () => store.trouble(),
      close: () => store.close(),
    };
  }

  files(files: BodyFiles): BodyFiles {
    return {
      ...files,
      ensure: (name, text) => this.#unlessOver(() => this.#work.follow(files.ensure(name, text))),
      remove: (name) => this.#unlessOver(() => this.#work.follow(files.remove(name))),
      attach: (name, bytes) => this.#unlessOver(() => this.#work.follow(files.attach(name, bytes))),
      forgetAttachedBefore: (at) => this.#unlessOver(() => this.#work.follow(files.forgetAttachedBefore(at))),
    };
  }

  pushSender(sender: PushSender): PushSender {
    return {
      publicKey: () => this.#unlessOver(() => sender.publicKey()),
      send: (target, push) => this.#unlessOver(() => sender.send(target, push)),
    };
  }

  inbox(inbox: Inbox): Inbox {
    return {
      offers: (facts) => this.#unlessOver(() => inbox.offers(facts)),
      handOver: (facts, text, signal) => this.#unlessOver(() => inbox.handOver(facts, text, signal)),
    };
  }

  /** `beforeAnswer`: the keys have arrived, and the terminal has not confirmed them yet; its answer may get lost. */
  terminal(
    terminal: Terminal,
    keysIn: { beforeAnswer(): Promise<void>; readonly answer: "told" | "lost" },
  ): Terminal {
    return {
      ref: terminal.ref,
      read: () => this.#unlessOver(() => terminal.read()),
      gate: (expectation, strokes) =>
        this.#unlessOver(async () => {
          const outcome = await terminal.gate(expectation, strokes);
          if (outcome.kind !== "sent" || strokes.length === 0) return outcome;
          await keysIn.beforeAnswer();
          // The daemon died in the meantime: there is no caller any more.
          if (this.#over) return new Promise<never>(() => {});
          return keysIn.answer === "lost" ? { kind: "unknown", cause: "no answer" } : outcome;
        }),
      onChange: (listener) => terminal.onChange(() => this.#over || listener()),
      announce: (text) => this.#unlessOver(() => terminal.announce(text)),
      view: (ear) => this.#unlessOver(() => terminal.view(ear)),
    };
  }
}

function refusing(tx: StoreWriter, disk: Disk): StoreWriter {
  return {
    ...tx,
    moveDelivery(id, receipt, patch) {
      if (receipt.state === disk.refuses) throw diskFull();
      try {
        return tx.moveDelivery(id, receipt, patch);
      } catch (error) {
        if (error instanceof BellhopError && error.code === "delivery.moved_on")
          disk.disallowed.push(error.message);
        throw error;
      }
    },
  };
}

function diskFull(): BellhopError {
  return new BellhopError("store.disk_full", { message: "The disk is full.", next: "Make room." });
}
