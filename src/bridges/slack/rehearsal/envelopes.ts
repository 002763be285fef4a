/**
 * Envelopes that nobody has acknowledged, as Slack keeps them: sent again on the next connection, and on the same one
 * if no answer comes in time. (Slack gives up after some minutes; a rehearsal when it is told to.)
 */
import { randomUUID } from "node:crypto";
import type { WebSocket } from "ws";
import type { Clock } from "../../../ports/clock.ts";

export interface EnvelopeOptions {
  readonly type: "events_api" | "interactive" | "slash_commands";
  readonly payload: Readonly<Record<string, unknown>>;
}

interface Pending extends EnvelopeOptions {
  readonly id: string;
  attempts: number;
  stopWaiting: () => void;
}

export class Envelopes {
  readonly #clock: Clock;
  readonly #resendMs: number;
  readonly #pending = new Map<string, Pending>();
  #socket: WebSocket | undefined;
  /** The ids of those that were acknowledged, in order. */
  readonly acknowledged: string[] = [];
  /** How often one was sent again. */
  repeats = 0;

  constructor(clock: Clock, resendMs: number) {
    this.#clock = clock;
    this.#resendMs = resendMs;
  }

  get count(): number {
    return this.#pending.size;
  }

  add(options: EnvelopeOptions): string {
    const pending = { ...options, id: randomUUID(), attempts: 0, stopWaiting: () => {} };
    this.#pending.set(pending.id, pending);
    this.#send(pending);
    return pending.id;
  }

  /** After `hello`. */
  connected(socket: WebSocket): void {
    this.#socket = socket;
    for (const pending of this.#pending.values()) this.#send(pending);
  }

  disconnected(socket: WebSocket): void {
    if (this.#socket === socket) this.#socket = undefined;
  }

  acknowledge(id: string): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    pending.stopWaiting();
    this.#pending.delete(id);
    this.acknowledged.push(id);
  }

  /** As after some minutes, when Slack gives up. */
  forget(): void {
    for (const pending of this.#pending.values()) pending.stopWaiting();
    this.#pending.clear();
  }

  #send(pending: Pending): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    pending.stopWaiting();
    const { id, type, payload, attempts } = pending;
    const isRetry = attempts > 0;
    if (isRetry) this.repeats += 1;
    pending.attempts += 1;
    const retry =
      type === "events_api" ? { retry_attempt: attempts, retry_reason: isRetry ? "timeout" : "" } : {};
    socket.send(
      JSON.stringify({
        envelope_id: id,
        type,
        accepts_response_payload: type !== "events_api",
        ...retry,
        payload,
      }),
    );
    pending.stopWaiting = this.#clock.after(this.#resendMs, () => this.#send(pending));
  }
}
