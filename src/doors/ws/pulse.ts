/**
 * Pings and pongs of one WebSocket. They use the same outlet as everything else and are counted: nobody needs many,
 * and each costs us as much to read as a request.
 */
import type { Outlet } from "../caller/outlet.ts";
import { pingFrame, pongFrame } from "./frames.ts";

export interface PulseParts {
  readonly outlet: Pick<Outlet, "write">;
  /** Pings, and pongs that answer none of our pings, between two heartbeats. */
  readonly most: number;
  /** An unauthenticated caller gets no answer. */
  isAdmitted(): boolean;
  tooMany(): void;
}

export class Pulse {
  readonly #parts: PulseParts;
  #isThere = true;
  #unanswered = 0;
  #counted = 0;
  #owed: Buffer | undefined;

  constructor(parts: PulseParts) {
    this.#parts = parts;
  }

  ping(text: string): void {
    this.#unanswered += 1;
    this.#parts.outlet.write(pingFrame(text));
  }

  /** Asks whether the caller is there; `silent`: it did not answer the last time. */
  beat(): "asked" | "silent" {
    if (!this.#isThere) return "silent";
    this.#isThere = false;
    this.#counted = 0;
    this.ping("");
    return "asked";
  }

  pinged(data: Buffer): void {
    // Only the last ping needs an answer (RFC 6455, 5.5.3). Copied, because it would keep its whole chunk in memory.
    this.#owed = Buffer.from(data);
    if (this.#count() === "few") this.answer();
  }

  /** Sends the pong that is due, once that is allowed. */
  answer(): void {
    if (this.#owed === undefined || !this.#parts.isAdmitted()) return;
    this.#parts.outlet.write(pongFrame(this.#owed));
    this.#owed = undefined;
  }

  ponged(): void {
    this.#isThere = true;
    if (this.#unanswered > 0) this.#unanswered -= 1;
    else this.#count();
  }

  #count(): "few" | "many" {
    this.#counted += 1;
    if (this.#counted <= this.#parts.most) return "few";
    this.#parts.tooMany();
    return "many";
  }
}
