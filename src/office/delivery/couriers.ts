/**
 * One courier per live session, from the moment it is seen until it ends. The daemon composes it; accept wakes it.
 * It never delivers anything itself.
 */
import type { HookMoment } from "../../core/hook-answer.ts";
import type { Address, SessionId } from "../../core/message.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { RungParts } from "../typing/transports/rung.ts";
import { Courier, type CourierParts } from "./courier.ts";
import { TerminalEndpoint } from "./endpoints/terminal.ts";

export type CouriersParts = Omit<CourierParts & RungParts, "session" | "endpoint">;

export class Couriers {
  readonly #parts: CouriersParts;
  readonly #couriers = new Map<SessionId, Courier>();
  readonly #stopping = new Map<SessionId, Promise<void>>();

  constructor(parts: CouriersParts) {
    this.#parts = parts;
  }

  start(session: LiveSession): void {
    if (this.#couriers.has(session.record.id)) return;
    const courier = new Courier({
      ...this.#parts,
      session,
      endpoint: new TerminalEndpoint({ ...this.#parts, session }),
    });
    this.#couriers.set(session.record.id, courier);
    courier.start();
  }

  /** Whether something waits for this session that may go in the answer to a hook of this moment. */
  async hasForHook({ record }: LiveSession, moment: HookMoment): Promise<boolean> {
    return (await this.#couriers.get(record.id)?.hasForHook(moment)) ?? false;
  }

  serves(id: SessionId): boolean {
    return this.#couriers.has(id);
  }

  wake(mailbox: Address): void {
    this.#courierOf(mailbox)?.wake();
  }

  /** A message for it is about to be committed. */
  expect(mailbox: Address): void {
    if (!this.#parts.isTakenElsewhere(mailbox)) this.#courierOf(mailbox)?.expect();
  }

  wakeAll(): void {
    for (const courier of this.#couriers.values()) courier.wake();
  }

  #courierOf(mailbox: Address): Courier | undefined {
    const session = this.#parts.directory.takerOfMailbox(mailbox);
    return session === undefined ? undefined : this.#couriers.get(session.record.id);
  }

  async stop(id: SessionId): Promise<void> {
    const courier = this.#couriers.get(id);
    if (courier === undefined) return this.stopped(id);
    this.#couriers.delete(id);
    const stopping = courier.stop().finally(() => {
      if (this.#stopping.get(id) === stopping) this.#stopping.delete(id);
    });
    this.#stopping.set(id, stopping);
    await stopping;
  }

  /** Waits until a courier that was told to stop has finished its delivery. */
  async stopped(id: SessionId): Promise<void> {
    await this.#stopping.get(id);
  }

  async stopAll(): Promise<void> {
    const stopping = [...this.#stopping.values()];
    await Promise.all([...stopping, ...[...this.#couriers.keys()].map((id) => this.stop(id))]);
  }
}
