/**
 * The page's one WebSocket: shows the key, watches the board, and comes back by itself after anything that ends it. While
 * the page is hidden, it does not try: a phone in a pocket stays asleep.
 */
import type { BoardTopic } from "../../../src/core/board.ts";
import type { BoardFrame } from "../../../src/wire/shapes/board.ts";
import type { Admission } from "./entering.ts";
import type { Frame, Line } from "./line.ts";
import { type Link, lost, retryAfterMs } from "./link.ts";

/** What the daemon closes with if its caller may not use the connection. */
const CLOSE_UNAUTHORISED = 4401;
/** A connection that says nothing within this time is given up. */
const SNAPSHOT_WITHIN_MS = 20_000;
/** After a sleep, a dead connection looks like a quiet one. */
const PONG_WITHIN_MS = 5_000;
/** A connection that takes longer than this to answer may be dead: until it has, nothing is taken from the person. */
const CHECKING_AFTER_MS = 150;
/** While somebody looks at the page: a network that goes away does not say so. */
const QUIET_FOR_MS = 30_000;

/** What the page shows. */
const TOPICS: readonly BoardTopic[] = [
  "agents",
  "attention",
  "counts",
  "turns",
  "bridges",
  "broker",
  "health",
];
const WATCH = { type: "watch", topics: TOPICS };

export interface Heard {
  opened(): void;
  said(text: string): void;
  closed(code: number): void;
}

export interface Socket {
  send(text: string): void;
  /** Nothing is heard from it any more. */
  drop(): void;
}

export interface ConnectionParts {
  dial(heard: Heard): Socket;
  key(): string | undefined;
  /** A browser does not say why a connection was refused: asked in a way that does. */
  admission(): Promise<Admission>;
  /** Returns how to cancel it. */
  after(ms: number, act: () => void): () => void;
  random(): number;
  /** Between two tries. */
  readonly longestRetryMs: number;
  isVisible(): boolean;
  /** `gap`: something is missing, and a new snapshot is needed. */
  onFrame(frame: BoardFrame): "whole" | "gap";
  onLink(link: Link): void;
}

interface Told extends Frame {
  readonly type?: string;
  readonly message?: string;
  readonly next?: string;
}

/** `new`: not started yet, because the page is about to log in. */
type Stage = "new" | "resting" | "dialled" | "admitted" | "following";

export class Connection implements Line {
  readonly #parts: ConnectionParts;
  readonly #hearers = new Map<string, Set<(frame: Frame) => void>>();
  readonly #whenLive = new Set<() => void>();
  #link: Link = { at: "connecting" };
  #socket: Socket | undefined;
  #stage: Stage = "new";
  #attempt = 0;
  #refusal = "";
  /** The rooms have said on this socket what they want. */
  #isAsked = false;
  #cancel: () => void = () => {};

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  /** The page was opened, or is logged in again. */
  start(): void {
    this.#become({ at: "connecting" });
    this.#attempt = 0;
    this.#dial();
  }

  /** The page is seen again, or the network is back. */
  wake(): void {
    if (this.#link.at === "logged-out") return;
    if (this.#stage === "following") this.#probe();
    else if (this.#stage === "resting") {
      this.#attempt = 0;
      this.#dial();
    }
  }

  logOut(why: string): void {
    this.#rest();
    this.#become({ at: "logged-out", why });
  }

  hear(type: string, hear: (frame: Frame) => void): () => void {
    const hearers = this.#hearers.get(type) ?? new Set();
    this.#hearers.set(type, hearers);
    // One of its own each time, so that the same function heard twice ends once at a time.
    const hearer = (frame: Frame) => hear(frame);
    hearers.add(hearer);
    return () => void hearers.delete(hearer);
  }

  say(frame: object): boolean {
    if (this.#link.at !== "live") return false;
    this.#say(frame);
    return true;
  }

  onLive(act: () => void): () => void {
    const whenLive = () => act();
    this.#whenLive.add(whenLive);
    if (this.#link.at === "live") act();
    return () => void this.#whenLive.delete(whenLive);
  }

  #dial(): void {
    this.#rest();
    const { dial, after } = this.#parts;
    this.#stage = "dialled";
    this.#cancel = after(SNAPSHOT_WITHIN_MS, () => this.#ended());
    this.#socket = dial({
      opened: () => this.#say({ type: "auth", key: this.#parts.key() ?? "" }),
      said: (text) => this.#take(JSON.parse(text) as Told),
      closed: (code) => this.#closed(code),
    });
  }

  #take(told: Told): void {
    if (this.#stage === "following") this.#alive();
    switch (told.type) {
      case "auth.ok":
        this.#stage = "admitted";
        this.#say(WATCH);
        return;
      case "auth.error":
        this.#refusal = `${told.message ?? ""} ${told.next ?? ""}`.trim();
        return;
      case "watch.error":
        this.#ended();
        return;
      case "watch.snapshot":
        this.#frame({ snapshot: told as never });
        return;
      case "watch.changes":
        // Between a gap and the next snapshot, changes add up to nothing.
        if (this.#stage === "following") this.#frame({ changes: told as never });
        return;
      default:
        for (const hear of this.#hearers.get(told.type ?? "") ?? []) hear(told);
    }
  }

  #frame(frame: BoardFrame): void {
    if (this.#parts.onFrame(frame) === "gap") {
      this.#stage = "admitted";
      this.#say(WATCH);
      return;
    }
    if (this.#stage === "following") return;
    this.#stage = "following";
    this.#attempt = 0;
    this.#become({ at: "live" });
    this.#alive();
    // After a gap it is the same socket: the daemon still knows what was asked on it.
    if (this.#isAsked) return;
    this.#isAsked = true;
    for (const act of this.#whenLive) act();
  }

  /** Something was heard. */
  #alive(): void {
    const { after, isVisible } = this.#parts;
    this.#cancel();
    if (this.#link.at === "checking") this.#become({ at: "live" });
    this.#cancel = after(QUIET_FOR_MS, () => {
      if (isVisible()) this.#probe();
    });
  }

  #probe(): void {
    const { after } = this.#parts;
    this.#cancel();
    this.#cancel = after(CHECKING_AFTER_MS, () => {
      this.#become({ at: "checking" });
      this.#cancel = after(PONG_WITHIN_MS - CHECKING_AFTER_MS, () => {
        this.#rest();
        this.#become(lost(this.#link));
        this.#dial();
      });
    });
    this.#say({ type: "ping" });
  }

  #closed(code: number): void {
    const { stage, refusal } = { stage: this.#stage, refusal: this.#refusal };
    this.#rest();
    if (code === CLOSE_UNAUTHORISED) this.logOut(refusal);
    else if (stage === "dialled") void this.#askWhy();
    else this.#ended();
  }

  async #askWhy(): Promise<void> {
    const admission = await this.#parts.admission();
    // It may have been woken meanwhile.
    if (this.#stage !== "resting") return;
    if (admission === "refused") this.logOut("");
    else this.#ended();
  }

  #ended(): void {
    const { after, random, longestRetryMs, isVisible } = this.#parts;
    this.#rest();
    this.#become(lost(this.#link));
    if (!isVisible()) return;
    this.#cancel = after(retryAfterMs(this.#attempt, random(), longestRetryMs), () => this.#dial());
    this.#attempt += 1;
  }

  #rest(): void {
    this.#cancel();
    this.#cancel = () => {};
    this.#socket?.drop();
    this.#socket = undefined;
    this.#stage = "resting";
    this.#refusal = "";
    this.#isAsked = false;
  }

  #say(frame: object): void {
    this.#socket?.send(JSON.stringify(frame));
  }

  #become(link: Link): void {
    this.#link = link;
    this.#parts.onLink(link);
  }
}
