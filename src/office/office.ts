/**
 * Puts the office together: who is there, the way in, the couriers, the signals. The daemon hands it the adapters
 * and gets the use-cases back. It holds no decision of its own.
 */
import type { SessionId } from "../core/message.ts";
import type { NextByCron } from "../core/time/schedule.ts";
import type { Desktop } from "../ports/desktop.ts";
import type { HookEvent } from "../ports/hook-event.ts";
import type { CommandOrder, Hosts } from "../ports/hosts.ts";
import type { Profile } from "../ports/profile.ts";
import type { ProgramRegistry } from "../ports/program-registry.ts";
import type { TerminalServer } from "../ports/terminal.ts";
import type { Wants } from "../wire/shapes/attention.ts";
import type { StatusResponse } from "../wire/shapes/daemon.ts";
import type { HookEventRequest } from "../wire/verbs/daemon.ts";
import type { AskedUseCases, NeedsOf } from "../wire/verbs/index.ts";
import type { Streams } from "../wire/verbs/streams.ts";
import { Accept } from "./accept/accept.ts";
import { Asking } from "./accept/asking.ts";
import { DeadLetters } from "./accept/dead-letters.ts";
import { Filing } from "./accept/filing.ts";
import { AgentNames } from "./arrivals/agent-names.ts";
import { Agents, type DeclaredAgent } from "./arrivals/agents.ts";
import { Arrivals } from "./arrivals/arrivals.ts";
import { Departures } from "./arrivals/departures.ts";
import { Registrar } from "./arrivals/registrar.ts";
import { Successors } from "./arrivals/successors.ts";
import type { OfficeContext } from "./base/context.ts";
import { pause } from "./base/deadline.ts";
import { StateWatch } from "./base/state-watch.ts";
import { Listeners } from "./broker/listeners.ts";
import { listen } from "./broker/listening.ts";
import { Mailboxes } from "./broker/mailboxes.ts";
import { Subscriptions } from "./broker/subscriptions.ts";
import { Couriers } from "./delivery/couriers.ts";
import { Recover } from "./delivery/recovery.ts";
import { Telling } from "./desk/telling.ts";
import { Watches } from "./desk/watches.ts";
import { Children } from "./hosting/children.ts";
import { Looking } from "./hosting/looking.ts";
import { Sessions } from "./hosting/sessions.ts";
import { Directory } from "./presence/directory.ts";
import type { LiveSession, ScreenDigest } from "./presence/live-session.ts";
import { Attendance } from "./signals/attendance.ts";
import { reportedEvent } from "./signals/reports.ts";
import { ScreenTurns } from "./signals/screen-turns.ts";
import { Signals } from "./signals/signals.ts";
import { Notices } from "./time/notices.ts";
import { Reminders } from "./time/reminders.ts";
import { Timekeeper } from "./time/timekeeper.ts";
import { Timers } from "./time/timers.ts";
import { KeepDrafts } from "./typing/draft.ts";
import { EvidenceDesk } from "./typing/evidence-desk.ts";
import { LateProof } from "./typing/late-proof.ts";
import { Openings } from "./typing/openings.ts";
import { askedStreams, askedUseCases, Permissions } from "./verbs/permissions.ts";
import { QueueChanges } from "./verbs/queue-changes.ts";
import { useCases } from "./verbs/use-cases.ts";
import { AttentionDesk } from "./views/attention.ts";
import { follow } from "./views/following.ts";
import { History } from "./views/history.ts";
import { Overviews } from "./views/overview.ts";
import { Queries } from "./views/queries.ts";

export interface OfficeParts {
  readonly context: OfficeContext;
  readonly registry: ProgramRegistry;
  readonly digest: ScreenDigest;
  servers(): readonly TerminalServer[];
  branchOf?(folder: string): Promise<string | undefined>;
  profile(program: string, editing: "plain" | "vim" | undefined): Profile | undefined;
  parseHookEvent(request: HookEventRequest): HookEvent;
  /** Handed in, as the table of verbs brings the schemas of every request along. */
  readonly needs: NeedsOf;
  status(found: StatusFound): StatusResponse;
  readonly nextByCron: NextByCron;
  readonly hosts: Hosts;
  readonly desktop: Desktop;
  /** The program that a command starts, where a profile knows it. */
  programOf(command: readonly string[]): string | undefined;
  /** A command as it is to be run in a terminal of our own. */
  prepareCommand(order: CommandOrder): Promise<readonly string[]>;
  /** Variables that every hosted program gets. */
  readonly hostedEnvironment: Readonly<Record<string, string>>;
  stop(): void;
}

/** What the office knows of how the daemon stands. */
export interface StatusFound extends Wants {
  readonly sessions: number;
  readonly queued: number;
  readonly warnings: readonly string[];
}

export class Office {
  /** Every one of them asks first whether the speaker may. */
  readonly useCases: AskedUseCases;
  readonly streams: Streams;
  readonly #context: OfficeContext;
  readonly #directory: Directory;
  readonly #registrar: Registrar;
  readonly #departures: Departures;
  readonly #couriers: Couriers;
  readonly #recover: Recover;
  readonly #drafts: KeepDrafts;
  readonly #filing: Filing;
  readonly #signals: Signals;
  readonly #notices: Notices;
  readonly #timers: Timers;
  readonly #listeners: Listeners;
  readonly #agents: Agents;
  readonly #sessions: Sessions;
  readonly #children: Children;
  readonly #screenTurns: ScreenTurns;
  readonly #lateProof: LateProof;
  readonly #attendance: Attendance;
  readonly #overviews: Overviews;
  readonly #telling: Telling;
  readonly #watches: Watches;
  #lastCounted: Wants & { readonly queued: number } = { queued: 0, wants: {}, mail: 0 };
  readonly #openings: Openings;
  #open = false;
  #closed = false;

  constructor(parts: OfficeParts) {
    const { context } = parts;
    const directory = new Directory(context.store, context.owner);
    const timekeeper = new Timekeeper(context);
    const subscriptions = new Subscriptions(context);
    const evidence = new EvidenceDesk();
    const states = new StateWatch();
    const drafts = new KeepDrafts(context);
    const queries = new Queries(context, directory);
    const history = new History(context, directory, queries);
    const attention = new AttentionDesk({ context, directory });
    const overviews = new Overviews({ context, directory, queries, attention });
    const telling = new Telling({
      context,
      directory,
      attention,
      desktop: parts.desktop,
      servers: () => parts.servers(),
    });
    const departures = new Departures({
      context,
      directory,
      onExited: (session) => this.#dismiss(session),
      onRecorded: () => this.#settle("watch.untold", this.#watches.settle()),
    });
    const listeners = new Listeners({ context, states, released: (mailbox) => couriers.wake(mailbox) });
    const names = new AgentNames({
      context,
      directory,
      subscriptions,
      listeners,
    });
    const successors = new Successors(context, directory, parts.hosts);
    const registrar = new Registrar({
      ...parts,
      directory,
      departures,
      names,
      arrivals: new Arrivals({ context, directory, names, successors }),
      expects: (sessionId, { prompt }) => prompt !== undefined && evidence.isExpected(sessionId, prompt),
      onLive: (session, insteadOf) => this.#attend(session, insteadOf),
    });
    const couriers = new Couriers({
      context,
      directory,
      evidence,
      drafts,
      states,
      isTakenElsewhere: (mailbox) => listeners.consumes(mailbox),
      isAwaited: (message) => asking.isAwaited(message),
      onMixed: (sessionId, items) => notices.reportMixed(sessionId, items),
      expire: () => timers.expire(),
      onGone: (session) => this.#settle("session.exit_failed", departures.exited(session)),
    });
    const filing = new Filing(context, directory);
    const accept = new Accept(context, directory, filing, subscriptions, {
      wake: (mailbox) => couriers.wake(mailbox),
      answered: (message) => states.changed([message]),
      isHeard: (mailbox) => listeners.isHeard(mailbox),
      came: ({ message, deliveries }) => {
        listeners.came(message, deliveries);
        if (deliveries.some(({ to }) => to === context.owner)) telling.came(message);
        overviews.changed();
      },
      looped: (message, reason) => {
        notices.reportLoop(message, reason);
        telling.look();
      },
      expires: () => timers.touched(),
      deadlineIn: (delayMs) => timekeeper.deadlineIn(delayMs),
    });
    const asking = new Asking({
      context,
      directory,
      queries,
      states,
      accept,
      released: (mailbox) => couriers.wake(mailbox),
    });
    const notices: Notices = new Notices({
      context,
      directory,
      accept,
      states,
      timekeeper,
      scheduled: () => timers.touched(),
    });
    const { nextByCron } = parts;
    const timers = new Timers({ context, directory, accept, notices, states, timekeeper, nextByCron });
    const reminders = new Reminders({
      context,
      directory,
      timekeeper,
      nextByCron,
      touched: () => timers.touched(),
    });
    const sessions: Sessions = new Sessions({
      context,
      directory,
      registrar,
      successors,
      hosts: parts.hosts,
      programOf: (command) => parts.programOf(command),
      prepare: (order) => parts.prepareCommand(order),
      environment: parts.hostedEnvironment,
    });
    const children = new Children({ context, directory, accept, sessions, hosts: parts.hosts });
    const watches = new Watches({ context, directory, accept });
    const mailboxes = new Mailboxes({ context, directory, states });
    const agents = new Agents({ context, directory, subscriptions, states });
    states.follow(() => {
      notices.look();
      timers.touched();
      telling.look();
      overviews.changed();
    });
    const openings = new Openings({ context, states });
    const signals = new Signals({
      context,
      directory,
      evidence,
      states,
      openings,
      locate: (event) => registrar.locate(event),
      learn: (session, event) => registrar.learn(session, event),
      former: (event) => registrar.former(event),
      onMixed: (sessionId, items) => notices.reportMixed(sessionId, items),
      // Before it has a courier nothing may be typed: what was in flight is looked at first.
      onTurnEnded: (session, at) => {
        this.#settle("watch.untold", watches.turnEnded(session, at));
        if (couriers.serves(session.record.id))
          this.#settle("draft.restore_failed", drafts.restoreOpen(session));
        this.#settle("session.parent_untold", children.turnEnded(session));
        openings.lookSoon(session);
      },
    });
    this.#context = context;
    this.#directory = directory;
    this.#registrar = registrar;
    this.#departures = departures;
    this.#couriers = couriers;
    this.#recover = new Recover(context, (sessionId, items) => notices.reportMixed(sessionId, items));
    this.#drafts = drafts;
    this.#filing = filing;
    this.#signals = signals;
    this.#notices = notices;
    this.#timers = timers;
    this.#listeners = listeners;
    this.#agents = agents;
    this.#sessions = sessions;
    this.#children = children;
    this.#screenTurns = new ScreenTurns({ context, states, openings });
    this.#openings = openings;
    this.#lateProof = new LateProof({ context, states });
    this.#attendance = new Attendance({
      context,
      asked: (session) => this.#settle("watch.untold", watches.asks(session)),
      answered: (session, key) => {
        telling.answered(attention.idOf(session, key));
        this.#settle("watch.untold", watches.answered(session));
      },
      changed: () => {
        telling.look();
        overviews.changed();
      },
      turnEnded: (session) => this.#settle("watch.untold", watches.turnEnded(session, context.clock.now())),
    });
    this.#watches = watches;
    this.#overviews = overviews;
    this.#telling = telling;
    const permissions = new Permissions({
      context,
      directory,
      queries,
      reminders,
      needs: parts.needs,
      reported: (report) =>
        registrar.reported(reportedEvent({ directory, parseHookEvent: parts.parseHookEvent }, report)),
    });
    this.streams = askedStreams(
      {
        follow: async ({ who }, ear) =>
          who === undefined
            ? overviews.follow(ear)
            : follow({ context, directory, queries, states }, { who }, ear),
        listen: (request, push) => listen({ mailboxes, listeners }, request, push),
        mailboxOf: (request) => mailboxes.heard(request).address,
      },
      permissions,
    );
    const behind = useCases({
      context,
      directory,
      registrar,
      names,
      accept,
      asking,
      filing,
      reminders,
      sessions,
      successors,
      children,
      hosts: parts.hosts,
      looking: new Looking({ context, directory, registrar, hosts: parts.hosts }),
      subscriptions,
      mailboxes,
      agents,
      deadLetters: new DeadLetters(context, accept),
      couriers,
      queries,
      history,
      changes: new QueueChanges({ context, directory, queries, states }),
      drafts,
      signals,
      states,
      attention,
      openings,
      watches,
      parseHookEvent: parts.parseHookEvent,
      status: () =>
        parts.status({
          sessions: directory.all().length,
          ...this.#count(context, attention),
          warnings: telling.trouble === undefined ? [] : [telling.trouble],
        }),
      stop: parts.stop,
    });
    this.useCases = askedUseCases(behind, permissions);
  }

  /** As last counted where the database cannot be read any more: `status` is what tells so. */
  #count({ store }: OfficeContext, attention: AttentionDesk): Wants & { readonly queued: number } {
    try {
      this.#lastCounted = { queued: store.read.countQueued(), ...attention.wants() };
    } catch (error) {
      if (store.trouble() === undefined) throw error;
    }
    return this.#lastCounted;
  }

  /** Who is there, then what became of what was in flight, then the couriers. */
  async open(spooled: readonly HookEvent[]): Promise<void> {
    await this.#registrar.scan();
    for (const event of spooled) await this.receiveHook(event);
    await this.#listeners.recover();
    await this.#recoverOrphans();
    await this.#departures.holdUnattended();
    await this.#timers.open();
    this.#notices.look();
    this.#open = true;
    // Not waited for: a recovery may have to give a witness its time, and the doors must open meanwhile.
    for (const session of this.#directory.all()) this.#attend(session);
  }

  /** The agents that the config file declares. */
  async declare(agents: readonly DeclaredAgent[]): Promise<void> {
    await this.#agents.declare(agents);
  }

  async receiveHook(event: HookEvent): Promise<void> {
    await this.#signals.receive(event);
  }

  async scan(): Promise<void> {
    await this.#registrar.scan();
    if (!this.#recover.isUndecided) return;
    await this.#recoverOrphans();
    this.#recoveredSome();
    this.#couriers.wakeAll();
  }

  async #recoverOrphans(): Promise<void> {
    await this.#recover.orphans((id) => this.#departures.whereabouts(id));
    await this.#departures.buryGone();
    await this.#watches.settle();
    await this.#children.tellOfEnded();
    await this.#notices.dropUnreadable();
  }

  /** Settings changed: what was held may go now. */
  reconsider(): void {
    this.#couriers.wakeAll();
  }

  async forget(): Promise<void> {
    const { store, files, settings, clock } = this.#context;
    const before = clock.now() - settings().retentionDays * 86_400_000;
    await this.#sessions.forgetEndedBefore(before);
    for (;;) {
      const names = await store.write((tx) => tx.forgetFinishedBefore(before, FORGET_AT_ONCE));
      await Promise.all(names.map((name) => files.remove(name).catch(() => {})));
      if (names.length < FORGET_AT_ONCE) return;
    }
  }

  /** Finishes the deliveries in hand. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#timers.close();
    await this.#notices.close();
    await this.#listeners.close();
    await this.#couriers.stopAll();
    await this.#filing.settled();
    this.#drafts.close();
    this.#screenTurns.close();
    this.#lateProof.close();
    this.#attendance.close();
    await this.#telling.close();
    this.#openings.close();
    this.#children.close();
    for (const session of this.#directory.all()) session.close();
  }

  #attend(session: LiveSession, insteadOf?: SessionId): void {
    if (this.#open) this.#settle("session.begin_failed", this.#begin(session, insteadOf));
  }

  async #begin(session: LiveSession, insteadOf = session.record.id): Promise<void> {
    const isThere = (): boolean => !this.#closed && this.#directory.get(session.record.id) === session;
    // Its conversation may go on in a new process while the old courier still has a delivery in hand.
    await this.#couriers.stopped(session.record.id);
    await this.#couriers.stopped(insteadOf);
    while (isThere() && !(await this.#recovered(session))) await pause(this.#context.clock, RECOVER_AGAIN_MS);
    if (!isThere()) return;
    this.#recoveredSome();
    this.#screenTurns.attend(session);
    this.#lateProof.attend(session);
    this.#attendance.attend(session);
    this.#overviews.changed();
    this.#openings.lookSoon(session);
    this.#children.attend(session);
    this.#couriers.start(session);
    await this.#drafts.restoreOpen(session);
  }

  /** Its sender may have to be told, its time may be over. */
  #recoveredSome(): void {
    this.#notices.look();
    this.#timers.touched();
  }

  /** A disk that cannot take what was found may be able to in a moment; until then nothing is delivered there. */
  async #recovered(session: LiveSession): Promise<boolean> {
    try {
      await this.#recover.session(session);
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
    this.#screenTurns.leave(session);
    this.#lateProof.leave(session);
    this.#attendance.leave(session);
    this.#overviews.changed();
    this.#openings.leave(session);
    this.#children.leave(session);
    this.#settle("session.parent_untold", this.#children.left(session));
    // What it had in hand comes back to the queue only when it has stopped: whoever goes on must look then, too.
    const stopped = this.#couriers.stop(session.record.id).then(() => this.#couriers.wakeAll());
    this.#settle("courier.stop_failed", stopped);
    this.#settle("notices.drop_failed", this.#notices.sessionGone(session));
    // Another session of the same agent may be the one to take its mail now.
    this.#couriers.wakeAll();
  }

  #settle(failure: string, work: Promise<unknown>): void {
    work.catch((cause) => this.#context.log.error(failure, { cause: String(cause) }));
  }
}

const FORGET_AT_ONCE = 500;
const RECOVER_AGAIN_MS = 2_000;
