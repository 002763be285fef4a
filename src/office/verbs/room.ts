/** Composes what the doors call: every verb and every stream, behind the permission check. */
import type { AskedUseCases, UseCases } from "../../wire/verbs/index.ts";
import type { Streams } from "../../wire/verbs/streams.ts";
import { listen } from "../broker/listening.ts";
import { reportedEvent } from "../signals/reports.ts";
import { agentVerbs } from "./agents.ts";
import { brokerVerbs } from "./broker.ts";
import { clusterVerbs } from "./cluster.ts";
import { daemonVerbs } from "./daemon.ts";
import { messageVerbs } from "./messages.ts";
import { outsideVerbs } from "./outside.ts";
import type { DaemonParts, Rooms, UseCaseParts } from "./parts.ts";
import { askedUseCases, Permissions, type PermissionsParts } from "./permissions.ts";
import { queueVerbs } from "./queue.ts";
import { reminderVerbs } from "./reminders.ts";
import { sessionVerbs } from "./sessions.ts";
import { turnVerbs } from "./turns.ts";
import { watchVerbs } from "./watches.ts";
import { webVerbs } from "./web.ts";

export interface VerbsRoom {
  /** Each checks the speaker's rights first. */
  readonly useCases: AskedUseCases;
  readonly streams: Streams;
}

export function verbsRoom(rooms: Rooms, daemon: DaemonParts & Pick<PermissionsParts, "needs">): VerbsRoom {
  const { ground, broker, arrivals, views, time } = rooms;
  const permissions = new Permissions({
    ...ground,
    queries: views.queries,
    reminders: time.reminders,
    underway: rooms.turns.underway,
    needs: daemon.needs,
    reported: (report) =>
      arrivals.registrar.reported(reportedEvent({ directory: ground.directory, ...daemon }, report)),
  });
  const streams: Streams = {
    follow: (request, ear, claims) =>
      permissions.admit(claims, "follow", request, () => views.follows.of(request.who, ear)),
    board: (request, ready, claims) =>
      permissions.admit(claims, "watch_all", request, async () => views.board.open(request, ready)),
    screen: (request, ready, claims) =>
      permissions.admit(claims, "screen", request, async (corrected) => {
        const seat = await rooms.screens.screens.open(request.who, ready, corrected);
        const asked = <T>(work: () => Promise<T>): Promise<T> =>
          permissions.admit(claims, "screen_keyboard", {}, work);
        return {
          ...seat,
          keyboard: (take) => (take ? asked(() => seat.takeKeyboard()) : seat.giveKeyboardBack()),
          keys: (keys) => asked(() => seat.keys(keys)),
        };
      }),
    listen: (request, push) =>
      permissions.admit(request.claims, "listen", request, (claims) =>
        listen(broker, { ...request, claims }, push),
      ),
    routes: (hear, claims) => permissions.admit(claims, "routes", {}, async () => views.routes.open(hear)),
    mailboxOf: (request) => broker.mailboxes.heard(request).address,
  };
  const behind = useCases({
    ...ground,
    ...broker,
    ...arrivals,
    ...rooms.typing,
    ...rooms.delivery,
    ...views,
    ...rooms.accept,
    ...rooms.sending,
    ...time,
    ...rooms.signals,
    ...rooms.hosting,
    ...rooms.turns,
    ...rooms.outside,
    ...rooms.desk,
    ...rooms.web,
    ...daemon,
  });
  return { useCases: askedUseCases(behind, permissions), streams };
}

function useCases(parts: UseCaseParts): UseCases {
  return {
    ...messageVerbs(parts),
    ...brokerVerbs(parts),
    ...queueVerbs(parts),
    ...agentVerbs(parts),
    ...sessionVerbs(parts),
    ...reminderVerbs(parts),
    ...watchVerbs(parts),
    ...outsideVerbs(parts),
    ...clusterVerbs(parts),
    ...turnVerbs(parts),
    ...webVerbs(parts),
    ...daemonVerbs(parts),
  };
}
