/**
 * Opens the rooms in order, each with those before it, and connects what each tells the others. A room may tell
 * something to one that opens later, because nothing is told until the office runs.
 */
import { hostOfMailbox } from "../core/cluster/hosts.ts";
import type { Address, SessionId } from "../core/message.ts";
import { DESK, isOutlet } from "../core/outside/places.ts";
import { present } from "../core/present.ts";
import type { NextByCron } from "../core/time/schedule.ts";
import type { Classifier } from "../ports/classifier.ts";
import type { Desktop } from "../ports/desktop.ts";
import type { CommandOrder } from "../ports/hosts.ts";
import type { PushSender } from "../ports/push-sender.ts";
import type { Runner } from "../ports/runner.ts";
import type { Seat } from "../ports/seat.ts";
import type { Wants } from "../wire/shapes/attention.ts";
import type { StatusResponse } from "../wire/shapes/daemon.ts";
import type { ShownBridge } from "../wire/shapes/outside.ts";
import type { AcceptTold } from "./accept/incoming.ts";
import { acceptRoom } from "./accept/room.ts";
import { type ArrivalsAdapters, arrivalsRoom } from "./arrivals/room.ts";
import type { OfficeContext } from "./base/context.ts";
import { StateWatch } from "./base/state-watch.ts";
import { Touches } from "./base/touches.ts";
import { brokerRoom } from "./broker/room.ts";
import { settleMoves } from "./cluster/moving/moving.ts";
import type { NewHome } from "./cluster/moving/moving-in.ts";
import { clusterRoom } from "./cluster/room.ts";
import { deliveryRoom } from "./delivery/room.ts";
import { deskRoom } from "./desk/room.ts";
import { type HostingAdapters, hostingRoom } from "./hosting/room.ts";
import type { ClosedBridge } from "./outside/bridges.ts";
import { outsideRoom } from "./outside/room.ts";
import { Directory } from "./presence/directory.ts";
import type { LiveSession } from "./presence/live-session.ts";
import { Neighbours } from "./presence/neighbourhood.ts";
import { Screens } from "./screens/screens.ts";
import { Asking } from "./sending/asking.ts";
import { type SignalsTold, signalsRoom } from "./signals/room.ts";
import { timeRoom } from "./time/room.ts";
import { turnsRoom } from "./turns/room.ts";
import { typingRoom } from "./typing/room.ts";
import { shownBriefly } from "./verbs/cluster.ts";
import type { DaemonParts, Rooms } from "./verbs/parts.ts";
import type { PermissionsParts } from "./verbs/permissions.ts";
import { type VerbsRoom, verbsRoom } from "./verbs/room.ts";
import { viewsRoom } from "./views/room.ts";
import { Logins } from "./web/logins.ts";
import { Pushes } from "./web/pushes.ts";

export interface OfficeParts
  extends ArrivalsAdapters,
    Omit<DaemonParts, "status" | "released" | "openHosts">,
    Pick<PermissionsParts, "needs">,
    Pick<HostingAdapters, "programOf"> {
  readonly context: OfficeContext;
  status(found: StatusFound): StatusResponse;
  readonly nextByCron: NextByCron;
  readonly desktop: Desktop;
  readonly seat: Seat;
  readonly classifier: Classifier;
  readonly pushSender: PushSender;
  /** Runs turns without a terminal. */
  readonly runner: Runner;
  /** Bridges that are configured and could not be opened. */
  closedBridges(): readonly ClosedBridge[];
  /** The command as it is run in a hosted terminal. */
  prepareCommand(order: CommandOrder): Promise<readonly string[]>;
  /** Variables that every hosted program gets. */
  readonly hostedEnvironment: Readonly<Record<string, string>>;
}

/** The part of the daemon's status that the office knows. */
export interface StatusFound extends Wants {
  readonly sessions: number;
  readonly queued: number;
  readonly bridges: readonly ShownBridge[];
  readonly warnings: readonly string[];
}

/** What the office does when a session comes or goes. */
export interface Housekeeping {
  attend(session: LiveSession, insteadOf?: SessionId): void;
  dismiss(session: LiveSession): void;
}

/** Not awaited; a failure is logged under this name. */
export function inBackground({ log }: OfficeContext, failure: string, work: Promise<unknown>): void {
  work.catch((cause) => log.error(failure, { cause: String(cause) }));
}

export type OpenRooms = Rooms & { readonly verbs: VerbsRoom };

export function openRooms(given: OfficeParts, house: Housekeeping): OpenRooms {
  const touches = new Touches(given.context.store);
  const context = { ...given.context, store: touches.store };
  const parts = { ...given, context };
  const neighbours = new Neighbours();
  const directory = new Directory(context.store, context.owner, neighbours);
  const ground = { context, directory, states: new StateWatch(), neighbours };
  const rooms = { ground } as { -readonly [Room in keyof OpenRooms]: OpenRooms[Room] };
  const onMixed = (sessionId: SessionId, items: Parameters<typeof rooms.time.notices.reportMixed>[1]) =>
    rooms.time.notices.reportMixed(sessionId, items);
  const released = (mailbox: Address): void => wakeTaker(rooms, mailbox);
  const changed = (): void => {
    rooms.views.board.staled(["broker"]);
    neighbours.changed();
  };
  rooms.broker = brokerRoom(ground, { released, changed });
  rooms.typing = typingRoom(ground);
  rooms.arrivals = arrivalsRoom(ground, rooms.broker, parts, {
    onExited: (session) => house.dismiss(session),
    onRecorded: () => inBackground(context, "watch.untold", rooms.desk.watches.endAbandoned()),
    expects: (sessionId, { prompt }) =>
      prompt !== undefined && rooms.typing.evidence.isExpected(sessionId, prompt),
    onLive: (session, insteadOf) => house.attend(session, insteadOf),
    isInTurn: (agent) => rooms.turns.turns.isBusy(agent),
  });
  rooms.delivery = deliveryRoom(ground, rooms.typing, rooms.broker, {
    isAwaited: (message) => rooms.sending.asking.isAwaited(message),
    isQuestion: (message) => rooms.sending.asking.isQuestion(message),
    onMixed,
    expire: () => rooms.time.timers.expire(),
    onGone: (session) =>
      inBackground(context, "session.exit_failed", rooms.arrivals.departures.exited(session)),
  });
  rooms.views = viewsRoom(ground, touches, {
    overBudget: () => rooms.turns.underway.overBudget(),
    takesTurns: (mailbox) => rooms.turns.turns.takes(mailbox),
    lastStep: (turnId) => rooms.turns.underway.steps(turnId).at(-1),
    shown: (one) => rooms.desk.attentionAnswers.shown(one),
    bridges: () => rooms.outside.bridges.report(),
    broker: () => rooms.broker.hearing.now(),
    health: () => {
      const { warnings, trouble } = statusOf(rooms, parts);
      return { warnings, trouble };
    },
  });
  rooms.accept = acceptRoom(ground, rooms.broker, toldByAccept(rooms));
  const asking = new Asking({ ...ground, ...rooms.views, ...rooms.accept, released });
  rooms.sending = { asking };
  rooms.time = timeRoom(ground, rooms.accept, parts.nextByCron);
  rooms.signals = signalsRoom(ground, rooms.arrivals, rooms.typing, {
    onMixed,
    ...toldBySignals(rooms),
  });
  rooms.hosting = hostingRoom(ground, rooms.arrivals, rooms.accept, {
    hosts: parts.hosts,
    programOf: (command) => parts.programOf(command),
    prepare: (order) => parts.prepareCommand(order),
    environment: parts.hostedEnvironment,
  });
  rooms.screens = { screens: new Screens({ ...ground, registrar: rooms.arrivals.registrar }) };
  rooms.turns = turnsRoom(ground, rooms.accept, rooms.broker, parts.runner, {
    isAwaited: (message) => asking.isAwaited(message),
    isQuestion: (message) => asking.isQuestion(message),
    lookForEnded: () => rooms.arrivals.departures.buryGone(),
    outletFor: (path) => rooms.outside.bridges.outletFor(path),
    changed: (whose) => rooms.views.board.touched([whose]),
  });
  rooms.outside = outsideRoom(ground, rooms.accept, {
    changed: () => rooms.views.board.staled(["bridges"]),
    closed: () => parts.closedBridges(),
  });
  const { agents } = rooms.arrivals;
  const home: NewHome = {
    moveIn: (...arrived) => agents.moveIn(...arrived),
    movedIn: () => agents.movedIn(),
    goOn: () => settleMoves({ ...ground, ...rooms.accept, ...rooms.broker, agents, released }),
    wake: released,
  };
  rooms.cluster = clusterRoom(ground, rooms.accept, touches, home, rooms.time);
  const logins = new Logins(context);
  rooms.web = { logins, pushes: new Pushes({ context, logins, sender: parts.pushSender }) };
  rooms.desk = deskRoom(ground, rooms.views, rooms.accept, rooms.outside, {
    ...parts,
    push: rooms.web.pushes,
    withdraw: (delivery, because) => rooms.cluster.cluster.withdraw(delivery, because),
    withdrawAll: (mailboxes, because) => rooms.cluster.cluster.withdrawAll(mailboxes, because),
  });
  const openHosts = rooms.cluster.cluster;
  const shown = () => present({ cluster: shownBriefly({ ...parts, openHosts }) });
  const status = () => ({ ...statusOf(rooms, parts), ...shown() });
  rooms.verbs = verbsRoom(rooms, { ...parts, released, openHosts, status });
  followStates(rooms);
  return rooms;
}

/** Whoever empties the mailbox looks at it again. */
function wakeTaker({ cluster, desk, outside, delivery, turns }: Rooms, mailbox: Address): void {
  if (mailbox === DESK) for (const outlet of desk.deskOutlets) outlet.wake();
  else if (isOutlet(mailbox)) outside.bridges.wake(mailbox);
  else if (hostOfMailbox(mailbox) !== undefined) cluster.cluster.wake(mailbox);
  else {
    delivery.couriers.wake(mailbox);
    turns.turns.wake(mailbox);
  }
}

function toldByAccept(rooms: Rooms): AcceptTold {
  const { owner } = rooms.ground.context;
  return {
    outletFor: (path) => rooms.outside.bridges.outletFor(path),
    expect: (to) => rooms.delivery.couriers.expect(to),
    wake: (mailbox) => wakeTaker(rooms, mailbox),
    takesTurns: (mailbox) => rooms.turns.turns.takes(mailbox),
    answered: (message) => rooms.ground.states.changed([message]),
    came: ({ message, deliveries }) => {
      rooms.views.routes.came({ message, deliveries });
      if (deliveries.some(({ to }) => to === owner)) rooms.desk.telling.came(message);
    },
    looped: (message, reason) => {
      rooms.time.notices.reportLoop(message, reason);
      rooms.desk.telling.look();
      rooms.desk.standing.look();
    },
    expires: () => rooms.time.timers.touched(),
    deadlineIn: (delayMs) => rooms.time.timekeeper.deadlineIn(delayMs),
  };
}

function toldBySignals(rooms: Rooms): Omit<SignalsTold, "onMixed"> {
  const { context } = rooms.ground;
  return {
    // Before it has a courier, nothing may be typed: what was in flight is checked first.
    onTurnEnded: (session, at) => {
      inBackground(context, "watch.untold", rooms.desk.watches.turnEnded(session, at));
      rooms.desk.paging.turnEnded(session, at);
      if (rooms.delivery.couriers.serves(session.record.id))
        inBackground(context, "draft.restore_failed", rooms.typing.restoring.restoreOpen(session));
      inBackground(context, "session.parent_untold", rooms.hosting.children.turnEnded(session));
      rooms.typing.openings.lookSoon(session);
    },
    hasForHook: (session, moment) => rooms.delivery.couriers.hasForHook(session, moment),
    firstTurnEnded: (session, how) => rooms.hosting.children.turnEnded(session, how),
    attendance: {
      asked: (session) => {
        inBackground(context, "watch.untold", rooms.desk.watches.asks(session));
        rooms.desk.paging.asked(session);
      },
      answered: (session, key) => {
        rooms.desk.telling.answered(rooms.views.attention.idOf(session, key));
        rooms.desk.paging.answered(session, key);
        inBackground(context, "watch.untold", rooms.desk.watches.answered(session));
      },
      changed: (session) => {
        rooms.desk.telling.look();
        rooms.desk.standing.look();
        rooms.views.board.sessionChanged(session);
      },
      turnEnded: (session, began) => {
        const at = context.clock.now();
        inBackground(context, "watch.untold", rooms.desk.watches.turnEnded(session, at));
        rooms.desk.paging.turnEnded(session, at, began);
      },
    },
  };
}

function followStates({ ground, time, desk }: Rooms): void {
  ground.states.follow(() => {
    time.notices.look();
    time.timers.touched();
    desk.telling.look();
    desk.standing.look();
    desk.confirmations.look();
    desk.doorbell.look();
  });
}

function statusOf({ ground, views, desk, outside }: Rooms, parts: OfficeParts): StatusResponse {
  const { trouble } = desk.telling;
  return parts.status({
    sessions: ground.directory.count,
    ...views.attention.counted(),
    bridges: outside.bridges.report(),
    warnings: trouble === undefined ? [] : [trouble],
  });
}
