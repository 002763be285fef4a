/**
 * One courier per live session, from the moment it is seen until it ends. The daemon composes it; accept wakes it.
 * It never delivers anything itself.
 */
import type { Address, SessionId } from "../core/message.ts";
import type { OfficeContext } from "./context.ts";
import { Courier } from "./courier.ts";
import type { Directory } from "./directory.ts";
import type { KeepDrafts } from "./draft.ts";
import { TerminalEndpoint } from "./endpoints/terminal.ts";
import type { EvidenceDesk } from "./evidence-desk.ts";
import type { LiveSession } from "./live-session.ts";
import type { StateWatch } from "./state-watch.ts";

export interface CouriersParts {
  readonly context: OfficeContext;
  readonly directory: Directory;
  readonly evidence: EvidenceDesk;
  readonly drafts: KeepDrafts;
  readonly states: StateWatch;
  onGone(session: LiveSession): void;
}

export class Couriers {
  readonly #parts: CouriersParts;
  readonly #couriers = new Map<SessionId, Courier>();

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

  wake(mailbox: Address): void {
    const session = this.#parts.directory.takerOfMailbox(mailbox);
    if (session !== undefined) this.#couriers.get(session.record.id)?.wake();
  }

  wakeAll(): void {
    for (const courier of this.#couriers.values()) courier.wake();
  }

  async stop(id: SessionId): Promise<void> {
    const courier = this.#couriers.get(id);
    this.#couriers.delete(id);
    await courier?.stop();
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#couriers.keys()].map((id) => this.stop(id)));
  }
}
