/** What the use-cases are built from: every room before the doors, and what only the daemon can do. */
import type { AttentionKind } from "../../core/attention.ts";
import type { Address } from "../../core/message.ts";
import type { Hosts } from "../../ports/hosts.ts";
import type { HookEvent } from "../../ports/program.ts";
import type { StatusResponse } from "../../wire/shapes/daemon.ts";
import type { HookEventRequest } from "../../wire/verbs/daemon.ts";
import type { AcceptRoom } from "../accept/room.ts";
import type { ArrivalsRoom } from "../arrivals/room.ts";
import type { BrokerRoom } from "../broker/room.ts";
import type { DeliveryRoom } from "../delivery/room.ts";
import type { DeskRoom } from "../desk/room.ts";
import type { HostingRoom } from "../hosting/room.ts";
import type { OutsideRoom } from "../outside/room.ts";
import type { Ground } from "../presence/ground.ts";
import type { Screens } from "../screens/screens.ts";
import type { Asking } from "../sending/asking.ts";
import type { SignalsRoom } from "../signals/room.ts";
import type { TimeRoom } from "../time/room.ts";
import type { TurnsRoom } from "../turns/room.ts";
import type { TypingRoom } from "../typing/room.ts";
import type { ViewsRoom } from "../views/room.ts";
import type { Logins } from "../web/logins.ts";
import type { Pushes } from "../web/pushes.ts";

export interface Rooms {
  readonly ground: Ground;
  readonly broker: BrokerRoom;
  readonly arrivals: ArrivalsRoom;
  readonly typing: TypingRoom;
  readonly delivery: DeliveryRoom;
  readonly views: ViewsRoom;
  readonly accept: AcceptRoom;
  readonly sending: { readonly asking: Asking };
  readonly time: TimeRoom;
  readonly signals: SignalsRoom;
  readonly hosting: HostingRoom;
  readonly screens: { readonly screens: Screens };
  readonly turns: TurnsRoom;
  readonly outside: OutsideRoom;
  readonly desk: DeskRoom;
  readonly web: { readonly logins: Logins; readonly pushes: Pushes };
}

export interface DaemonParts {
  readonly hosts: Hosts;
  parseHookEvent(request: HookEventRequest): HookEvent;
  status(): StatusResponse;
  /** Into the owner's config. */
  writeQuietHours(hours: string, except: readonly AttentionKind[]): void;
  /** What waits in a mailbox may go now: whoever empties it is woken. */
  released(mailbox: Address): void;
  stop(): void;
}

export type UseCaseParts = DaemonParts &
  Ground &
  BrokerRoom &
  ArrivalsRoom &
  TypingRoom &
  DeliveryRoom &
  ViewsRoom &
  AcceptRoom &
  Rooms["sending"] &
  TimeRoom &
  SignalsRoom &
  HostingRoom &
  TurnsRoom &
  OutsideRoom &
  DeskRoom &
  Rooms["web"];
