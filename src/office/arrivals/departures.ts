/**
 * Records that programs have ended, and holds the mail that waits for them. The registrar, the couriers and the start
 * of the office call it. Not seen does not mean ended: a session goes only once the system says its process has.
 */
import { agentAddress, sessionAddress } from "../../core/address.ts";
import type { SessionId } from "../../core/message.ts";
import { isOutlet } from "../../core/outside/places.ts";
import type { StoredSession } from "../../ports/store.ts";
import { offlineHold } from "../base/offline.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { isOver } from "../presence/still-there.ts";

export const HELD_AT_ONCE = 200;

export interface DeparturesParts extends Ground {
  onExited(session: LiveSession): void;
  /** The end of a session is on disk. */
  onRecorded(): void;
}

export class Departures {
  readonly #parts: DeparturesParts;

  constructor(parts: DeparturesParts) {
    this.#parts = parts;
  }

  async exited(session: LiveSession): Promise<void> {
    const { context, directory } = this.#parts;
    if (directory.get(session.record.id) !== session) return;
    session.signal({ kind: "exited", at: context.clock.now() });
    directory.remove(session.record.id);
    this.#parts.onExited(session);
    await this.#record(session.record);
    this.#parts.onRecorded();
    session.close();
    context.log.info("session.exited", { session: session.record.id, agent: session.record.agent });
  }

  async #record(session: StoredSession): Promise<void> {
    const { context, directory } = this.#parts;
    const { store, clock } = context;
    await store.write((tx) => {
      tx.putSession({ ...session, exitedAt: clock.now() });
      const mailboxes = [sessionAddress(session.id)];
      if (directory.takerOf(session.agent) === undefined) mailboxes.push(agentAddress(session.agent));
      // A copy that is only for reading waits for its reader, whether a program runs or not.
      for (const { delivery, message } of tx.deliveries({
        mailboxes,
        states: ["queued"],
        forTerminals: true,
      })) {
        tx.updateDelivery(delivery.id, { hold: offlineHold(delivery.to, clock.now(), message.shortId, tx) });
      }
    });
  }

  /** `unknown`: it is not seen, but its process is not known to have ended. */
  async whereabouts(id: SessionId): Promise<"live" | "gone" | "unknown"> {
    const { context, directory } = this.#parts;
    if (directory.get(id) !== undefined) return "live";
    const session = context.store.read.session(id);
    if (session?.identity === undefined || session.exitedAt !== undefined) return "gone";
    return (await isOver(session.identity, context.processes)) ? "gone" : "unknown";
  }

  /** Records the sessions that ended while the daemon was down. */
  async buryGone(): Promise<void> {
    for (const session of this.#parts.context.store.read.sessions()) {
      if ((await this.whereabouts(session.id)) === "gone") await this.#record(session);
    }
  }

  /** After the first scan: holds mail that no courier will look at, a page per call. Returns whether more is left. */
  async holdUnattended(): Promise<boolean> {
    const { context, directory } = this.#parts;
    const { store, clock } = context;
    return store.write((tx) => {
      const mailboxes = tx
        .mailboxesWithQueued()
        .filter((mailbox) => directory.takerOfMailbox(mailbox) === undefined);
      const unheld = tx.deliveries({ mailboxes, states: ["queued"], unheld: true, limit: HELD_AT_ONCE });
      for (const { delivery } of unheld) {
        const release = isOutlet(delivery.to)
          ? "when its bridge is open"
          : `when Bellhop sees a program for ${delivery.to} again`;
        tx.updateDelivery(delivery.id, { hold: { reason: "unknown", since: clock.now(), release } });
      }
      return unheld.length === HELD_AT_ONCE;
    });
  }
}
