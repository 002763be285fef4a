/** Puts together what doors call: every verb and every stream, behind the question whether the speaker may. */
import type { Hosts } from "../../ports/hosts.ts";
import type { AskedUseCases } from "../../wire/verbs/index.ts";
import type { Streams } from "../../wire/verbs/streams.ts";
import type { AcceptRoom } from "../accept/room.ts";
import type { ArrivalsRoom } from "../arrivals/room.ts";
import { listen } from "../broker/listening.ts";
import type { BrokerRoom } from "../broker/room.ts";
import type { DeliveryRoom } from "../delivery/room.ts";
import type { DeskRoom } from "../desk/room.ts";
import type { HostingRoom } from "../hosting/room.ts";
import type { Ground } from "../presence/ground.ts";
import type { SendingRoom } from "../sending/room.ts";
import { reportedEvent } from "../signals/reports.ts";
import type { SignalsRoom } from "../signals/room.ts";
import type { TimeRoom } from "../time/room.ts";
import type { TypingRoom } from "../typing/room.ts";
import { follow } from "../views/following.ts";
import type { ViewsRoom } from "../views/room.ts";
import type { UseCaseParts } from "./parts.ts";
import { askedStreams, askedUseCases, Permissions, type PermissionsParts } from "./permissions.ts";
import { useCases } from "./use-cases.ts";

/** All that stand before the doors. */
export interface Rooms {
  readonly ground: Ground;
  readonly broker: BrokerRoom;
  readonly arrivals: ArrivalsRoom;
  readonly typing: TypingRoom;
  readonly delivery: DeliveryRoom;
  readonly views: ViewsRoom;
  readonly accept: AcceptRoom;
  readonly sending: SendingRoom;
  readonly time: TimeRoom;
  readonly signals: SignalsRoom;
  readonly hosting: HostingRoom;
  readonly desk: DeskRoom;
}

export interface VerbsRoom {
  /** Every one of them asks first whether the speaker may. */
  readonly useCases: AskedUseCases;
  readonly streams: Streams;
}

export interface VerbsAdapters extends Pick<UseCaseParts, "parseHookEvent" | "status" | "stop"> {
  readonly hosts: Hosts;
  readonly needs: PermissionsParts["needs"];
}

export function verbsRoom(rooms: Rooms, adapters: VerbsAdapters): VerbsRoom {
  const { ground, broker, arrivals, views, time } = rooms;
  const { parseHookEvent, needs } = adapters;
  const { queries } = views;
  const permissions = new Permissions({
    ...ground,
    queries,
    reminders: time.reminders,
    needs,
    reported: (report) =>
      arrivals.registrar.reported(reportedEvent({ directory: ground.directory, parseHookEvent }, report)),
  });
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
    ...rooms.desk,
    ...adapters,
  });
  const streams: Parameters<typeof askedStreams>[0] = {
    follow: async ({ who }, ear) =>
      who === undefined ? views.overviews.follow(ear) : follow({ ...ground, queries }, { who }, ear),
    listen: (request, push) => listen(broker, request, push),
    mailboxOf: (request) => broker.mailboxes.heard(request).address,
  };
  return {
    useCases: askedUseCases(behind, permissions),
    streams: askedStreams(streams, permissions),
  };
}
