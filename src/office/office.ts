/**
 * The running office: opens, attends to sessions that come, drops those that leave, closes. The daemon hands it the
 * adapters and gets the use-cases back; `rooms.ts` connects the rooms. It decides nothing.
 */
import type { SessionId } from "../core/message.ts";
import type { Bridge, BridgeName } from "../ports/bridge.ts";
import type { HookEvent } from "../ports/program.ts";
import type { ScanHow } from "../ports/terminal.ts";
import type { WebLogins } from "../ports/web-logins.ts";
import type { AskedUseCases } from "../wire/verbs/index.ts";
import type { Streams } from "../wire/verbs/streams.ts";
import type { DeclaredAgent } from "./arrivals/agents.ts";
import type { OfficeContext } from "./base/context.ts";
import { pause, within } from "./base/deadline.ts";
import type { ClusterAdapters } from "./cluster/room.ts";
import type { Admission } from "./outside/bridges.ts";
import type { LiveSession } from "./presence/live-session.ts";
import { inBackground, type OfficeParts, type OpenRooms, openRooms } from "./rooms.ts";

const FORGET_AT_ONCE = 500;
/** A file is on disk before its message is accepted: on a slow disk, long before. */
const ATTACHED_BEFORE_MS = 3_600_000;
const RECOVER_AGAIN_MS = 2_000;
/** When it closes: so long a bag from another host may still come, and find everything open. */
const CLUSTER_FIRST_MS = 500;
/** Looked at before anybody is answered. */
const HELD_AMONG_FIRST = 500;
const HELD_LATER_MS = 1_000;

export class Office {
  /** Each checks the speaker's rights first. */
  readonly useCases: AskedUseCases;
  readonly streams: Streams;
  /** Who may use the dashboard. */
  readonly webLogins: WebLogins;
  readonly #context: OfficeContext;
  readonly #rooms: OpenRooms;
  #open = false;
  #closed = false;

  constructor(parts: OfficeParts) {
    this.#rooms = openRooms(parts, {
      attend: (session, insteadOf) => this.#attend(session, insteadOf),
      dismiss: (session) => this.#dismiss(session),
    });
    this.#context = this.#rooms.ground.context;
    this.useCases = this.#rooms.verbs.useCases;
    this.streams = this.#rooms.verbs.streams;
    this.webLogins = this.#rooms.web.logins;
  }

  /** First who is there, then recovery of what was in flight, then the couriers. */
  async open(spooled: readonly HookEvent[]): Promise<void> {
    const { ground, arrivals, broker, desk, time, turns } = this.#rooms;
    await arrivals.registrar.scan();
    for (const event of spooled) await this.receiveHook(event);
    await broker.listeners.recover();
    await this.#recoverOrphans();
    const unattended = await arrivals.departures.holdUnattended(HELD_AMONG_FIRST);
    await time.timers.open();
    time.notices.look();
    this.#open = true;
    for (const outlet of desk.deskOutlets) outlet.start();
    desk.confirmations.look();
    // Not awaited: a recovery may have to wait for a witness, and the doors must open meanwhile.
    for (const session of ground.directory.all()) this.#attend(session);
    turns.turns.open();
    if (unattended !== "none") inBackground(this.#context, "mail.not_held", this.#holdUnattended(unattended));
  }

  /** Page by page, so that others get their turn in between. */
  async #holdUnattended(left: "more" | "unseen"): Promise<void> {
    // The first that wait are held already, so most likely all are. To look through the others makes nobody wait.
    if (left === "unseen") await pause(this.#context.clock, HELD_LATER_MS);
    const { departures } = this.#rooms.arrivals;
    while (!this.#closed && (await departures.holdUnattended()) === "more");
  }

  /** The agents that the config file declares. */
  async declare(agents: readonly DeclaredAgent[]): Promise<void> {
    await this.#rooms.arrivals.agents.declare(agents);
  }

  /** The office must be open: what comes in may be relayed at once. */
  async openBridge(bridge: Bridge, admission: Admission): Promise<void> {
    await this.#rooms.outside.bridges.open(bridge, admission);
    this.#rooms.desk.paging.look();
  }

  async closeBridge(name: BridgeName): Promise<void> {
    await this.#rooms.outside.bridges.close(name);
  }

  /** It is not open, or no longer: what waits for it says why. */
  awaitBridge(name: BridgeName): void {
    this.#rooms.outside.bridges.await(name);
  }

  /** The office must be open: what comes from other hosts may be delivered at once. */
  async openCluster(adapters: ClusterAdapters): Promise<void> {
    await this.#rooms.cluster.cluster.open(adapters);
    // Before, nobody knew what its hosts may start here.
    this.#rooms.turns.turns.reconsider();
  }

  /** It is opened again: until then what is for other hosts waits. */
  async closeCluster(): Promise<void> {
    await this.#rooms.cluster.cluster.close();
  }

  async leaveCluster(): Promise<void> {
    await this.#rooms.cluster.cluster.leave();
    this.#rooms.turns.turns.reconsider();
  }

  /** None is open, or no longer: what waits for other hosts says why. */
  async awaitCluster(release: string): Promise<void> {
    await this.#rooms.cluster.cluster.await(release);
  }

  async receiveHook(event: HookEvent): Promise<void> {
    await this.#rooms.signals.signals.receive(event);
  }

  async scan(how?: ScanHow): Promise<void> {
    const { arrivals, delivery, turns } = this.#rooms;
    await arrivals.registrar.scan(how);
    if (!delivery.recover.isUndecided) return;
    await this.#recoverOrphans();
    this.#recoveredSome();
    delivery.couriers.wakeAll();
    turns.turns.reconsider();
  }

  async #recoverOrphans(): Promise<void> {
    const { arrivals, delivery, desk, hosting, time } = this.#rooms;
    await delivery.recover.orphans((id) => arrivals.departures.whereabouts(id));
    await arrivals.departures.buryGone();
    await desk.watches.endAbandoned();
    await hosting.children.tellOfEnded();
    await time.notices.dropUnreadable();
  }

  /** The settings changed: what was held may go now. */
  reconsider(): void {
    this.#rooms.delivery.couriers.wakeAll();
    this.#rooms.turns.turns.reconsider();
    this.#rooms.outside.bridges.reconsider();
    this.#rooms.cluster.cluster.reconsider();
    this.#rooms.desk.paging.look();
    this.#rooms.views.board.everythingChanged();
  }

  async forget(): Promise<void> {
    const { store, files, settings, clock } = this.#context;
    const before = clock.now() - settings().retentionDays * 86_400_000;
    await this.#rooms.hosting.sessions.forgetEndedBefore(before);
    for (;;) {
      const names = await store.write((tx) => tx.forgetFinishedBefore(before, FORGET_AT_ONCE));
      await Promise.all(names.map((name) => files.remove(name).catch(() => {})));
      if (names.length < FORGET_AT_ONCE) break;
    }
    // What is still known may name a file, which was written before it.
    const [oldest] = store.read.itemsAfter(undefined, 0, 1);
    const since = (oldest?.message.createdAt ?? before) - ATTACHED_BEFORE_MS;
    await files.forgetAttachedBefore(Math.min(before, since));
  }

  /** Finishes the deliveries under way. */
  async close(): Promise<void> {
    const { ground, accept, broker, cluster, delivery, desk, outside } = this.#rooms;
    const { screens, signals, time, turns, typing, web } = this.#rooms;
    this.#closed = true;
    screens.screens.closeAll();
    await turns.turns.close();
    await outside.bridges.closeAll();
    // An engine that does not answer takes its time: nobody who still types loses it.
    const left = cluster.cluster.close();
    await within(this.#context.clock, CLUSTER_FIRST_MS, left, undefined);
    await Promise.all(desk.deskOutlets.map((outlet) => outlet.stop()));
    await desk.confirmations.close();
    await time.timers.close();
    await time.notices.close();
    await broker.listeners.close();
    await delivery.couriers.stopAll();
    await accept.filing.settled();
    typing.restoring.close();
    signals.watchers.close();
    await desk.doorbell.close();
    await desk.telling.close();
    await desk.paging.close();
    await desk.standing.close();
    await web.pushes.close();
    typing.openings.close();
    for (const session of ground.directory.all()) session.close();
    await left;
  }

  #attend(session: LiveSession, insteadOf?: SessionId): void {
    if (this.#open) inBackground(this.#context, "session.begin_failed", this.#begin(session, insteadOf));
  }

  async #begin(session: LiveSession, insteadOf = session.record.id): Promise<void> {
    const { ground, delivery, desk, signals, turns, typing, views } = this.#rooms;
    const isThere = (): boolean => !this.#closed && ground.directory.get(session.record.id) === session;
    // Its conversation may continue in a new process while the old courier still delivers something.
    await delivery.couriers.stopped(session.record.id);
    await delivery.couriers.stopped(insteadOf);
    await turns.turns.yieldTo(session);
    while (isThere() && !(await this.#recovered(session))) await pause(this.#context.clock, RECOVER_AGAIN_MS);
    if (!isThere()) return;
    this.#recoveredSome();
    signals.watchers.attend(session);
    desk.paging.resumed(session);
    views.board.sessionChanged(session);
    typing.openings.lookSoon(session);
    delivery.couriers.start(session);
    await typing.restoring.restoreOpen(session);
  }

  /** Its sender may have to be told, or its timeout may be over. */
  #recoveredSome(): void {
    this.#rooms.time.notices.look();
    this.#rooms.desk.confirmations.look();
    this.#rooms.time.timers.touched();
  }

  /** If the disk fails now, it is tried again later; until then nothing is delivered there. */
  async #recovered(session: LiveSession): Promise<boolean> {
    try {
      await this.#rooms.delivery.recover.session(session);
      return true;
    } catch (cause) {
      this.#context.log.error("session.recovery_failed", {
        session: session.record.id,
        cause: String(cause),
      });
      return false;
    }
  }

  #dismiss(session: LiveSession): void {
    const { delivery, hosting, screens, signals, time, turns, typing, views } = this.#rooms;
    signals.watchers.leave(session);
    screens.screens.left(session);
    views.board.sessionChanged(session);
    typing.openings.leave(session);
    inBackground(this.#context, "session.parent_untold", hosting.children.left(session));
    // Its unfinished deliveries are queued again only once it has stopped: other couriers must look again then, too.
    const stopped = delivery.couriers.stop(session.record.id).then(() => {
      delivery.couriers.wakeAll();
      // What its terminal did not take may go on without one.
      turns.turns.reconsider();
    });
    inBackground(this.#context, "courier.stop_failed", stopped);
    inBackground(this.#context, "notices.drop_failed", time.notices.sessionGone(session));
    // Another session of the same agent may take its mail now.
    delivery.couriers.wakeAll();
  }
}
