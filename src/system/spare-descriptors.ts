/**
 * File descriptors held in reserve for when the system has no more. They are then released, so that someone can still
 * connect and ask what is wrong, and reserved again as soon as there are enough.
 *
 *     enough ──(none can be opened)──▶ short ──(can be opened again)──▶ enough
 */
import { closeSync, openSync } from "node:fs";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

const KEPT_BACK = 16;
/** Starting one program takes six. */
const FREE_BESIDES = 16;
const LOOK_EVERY_MS = 1_000;

export interface SpareOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Called at each check while short: give up whatever can be given up. */
  onShort(): void;
  /** Opens something that costs exactly one descriptor. */
  readonly open?: () => number;
  readonly close?: (descriptor: number) => void;
}

export class SpareDescriptors {
  readonly #options: SpareOptions;
  readonly #open: () => number;
  readonly #close: (descriptor: number) => void;
  #kept: readonly number[] = [];
  #state: { readonly at: "enough" } | { readonly at: "short"; readonly since: number } = { at: "enough" };
  #cancel = () => {};

  constructor(options: SpareOptions) {
    this.#options = options;
    this.#open = options.open ?? (() => openSync("/dev/null", "r"));
    this.#close = options.close ?? closeSync;
    this.#look();
  }

  /** When the shortage began; undefined if there are enough. */
  get shortSince(): number | undefined {
    return this.#state.at === "short" ? this.#state.since : undefined;
  }

  close(): void {
    this.#cancel();
    this.#letGo(this.#kept);
    this.#kept = [];
  }

  #look(): void {
    const wanted = KEPT_BACK - this.#kept.length + FREE_BESIDES;
    const opened = this.#openUpTo(wanted);
    if (opened.length === wanted) {
      const missing = KEPT_BACK - this.#kept.length;
      this.#kept = [...this.#kept, ...opened.slice(0, missing)];
      this.#letGo(opened.slice(missing));
      if (this.#state.at === "short") this.#options.log.info("descriptors.enough");
      this.#state = { at: "enough" };
    } else {
      this.#letGo([...opened, ...this.#kept]);
      this.#kept = [];
      if (this.#state.at === "enough") {
        this.#state = { at: "short", since: this.#options.clock.now() };
        this.#options.log.error("descriptors.short");
      }
      this.#options.onShort();
    }
    this.#cancel = this.#options.clock.after(LOOK_EVERY_MS, () => this.#look());
  }

  #openUpTo(count: number): readonly number[] {
    const opened: number[] = [];
    try {
      while (opened.length < count) opened.push(this.#open());
    } catch {
      // Failing to open one is what this tests for.
    }
    return opened;
  }

  #letGo(descriptors: readonly number[]): void {
    for (const descriptor of descriptors) this.#close(descriptor);
  }
}
