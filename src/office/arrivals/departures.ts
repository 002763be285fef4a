/**
 * Records that programs have ended, and holds the mail that waits for them. The registrar, the couriers and the start
 * of the office call it. Not seen does not mean ended: a session goes only once the system says that its process
 * or its terminal has.
 */
import { agentAddress, sessionAddress } from "../../core/address.ts";
import { hostOfMailbox } from "../../core/cluster/hosts.ts";
import type { Address, Hold, SessionId } from "../../core/message.ts";
import { isOutlet } from "../../core/outside/places.ts";
import { present } from "../../core/present.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { TerminalIdentity } from "../../ports/terminal.ts";
import { offlineHold } from "../base/offline.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { type Departure, isOver } from "../presence/still-there.ts";

export const HELD_AT_ONCE = 200;
/** No system gives a process this number. */
const NO_PROCESS = 2 ** 30;

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

  async exited(session: LiveSession, departure: Departure = "over"): Promise<void> {
    const { context, directory } = this.#parts;
    if (directory.get(session.record.id) !== session) return;
    session.signal({ kind: "exited", at: context.clock.now() });
    directory.remove(session.record.id);
    this.#parts.onExited(session);
    await this.#record(
      departure === "over" ? session.record : { ...session.record, identity: left(session) },
    );
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

  /**
   * After the first scan: holds mail that no courier will look at, a page per call. `among`: looks only at so many of a
   * mailbox. Returns whether more of it is left, or may be.
   */
  async holdUnattended(among?: number): Promise<"none" | "more" | "unseen"> {
    const { context, directory } = this.#parts;
    const { store, clock } = context;
    return store.write((tx) => {
      const mailboxes = tx
        .mailboxesWithQueued()
        .filter((mailbox) => directory.takerOfMailbox(mailbox) === undefined);
      const wanted = { mailboxes, states: ["queued"], unheld: true, limit: HELD_AT_ONCE } as const;
      const unheld = tx.deliveries({ ...wanted, ...present({ among }) });
      for (const { delivery } of unheld) {
        tx.updateDelivery(delivery.id, { hold: { since: clock.now(), ...unattended(delivery.to) } });
      }
      if (unheld.length === HELD_AT_ONCE) return "more";
      return among !== undefined && mailboxes.length > 0 ? "unseen" : "none";
    });
  }
}

/** No courier looks at it: why it waits there. */
function unattended(mailbox: Address): Omit<Hold, "since"> {
  if (hostOfMailbox(mailbox) !== undefined)
    return { reason: "offline", release: "when this host is in its cluster again" };
  if (isOutlet(mailbox)) return { reason: "unknown", release: "when its bridge is open" };
  return { reason: "unknown", release: `when Bellhop sees a program for ${mailbox} again` };
}

/** The identity of no process: the one that goes on without its terminal cannot come back, and counts as ended. */
function left({ identity }: LiveSession): TerminalIdentity {
  return { ...identity, agentPid: NO_PROCESS };
}
