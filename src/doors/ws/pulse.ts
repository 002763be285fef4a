/**
 * Pings and pongs of one WebSocket. They leave by the same outlet as everything else, and are counted: nobody needs
 * many, and each costs us as much to read as a request.
 */
import type { Outlet } from "../caller/outlet.ts";
import { pingFrame, pongFrame } from "./frames.ts";

export interface PulseParts {
  readonly outlet: Pick<Outlet, "write">;
  /** Pings, and pongs that answer none of ours, between two beats. */
  readonly most: number;
  /** Who has not shown a token is answered nothing. */
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

  /** Asks whether it is there; `silent`: it has not answered the last time. */
  beat(): "asked" | "silent" {
    if (!this.#isThere) return "silent";
    this.#isThere = false;
    this.#counted = 0;
    this.ping("");
    return "asked";
  }

  pinged(data: Buffer): void {
    // Only the last one needs an answer (RFC 6455, 5.5.3). A copy: it would keep the whole chunk it came in.
    this.#owed = Buffer.from(data);
    if (this.#count() === "few") this.answer();
  }

  /** What is owed, once it may be answered. */
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
