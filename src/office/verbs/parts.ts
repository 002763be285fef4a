/** What the use-cases are built from: every room before the doors, and what only the daemon can do. */
import type { AttentionKind } from "../../core/attention.ts";
import type { AdmittedHost } from "../../core/cluster/admission.ts";
import type { HostName } from "../../core/cluster/hosts.ts";
import type { Address, Instant } from "../../core/message.ts";
import type { Hosts } from "../../ports/hosts.ts";
import type { HookEvent } from "../../ports/program.ts";
import type {
  Admitted,
  ClusterCheck,
  ClusterJoined,
  ClusterReport,
  ShownHost,
} from "../../wire/shapes/cluster.ts";
import type { StatusResponse } from "../../wire/shapes/daemon.ts";
import type { HookEventRequest } from "../../wire/verbs/daemon.ts";
import type { RequestOf } from "../../wire/verbs/index.ts";
import type { AcceptRoom } from "../accept/room.ts";
import type { ArrivalsRoom } from "../arrivals/room.ts";
import type { BrokerRoom } from "../broker/room.ts";
import type { Pinged } from "../cluster/pinging.ts";
import type { ClusterRoom } from "../cluster/room.ts";
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
  readonly cluster: ClusterRoom;
  readonly desk: DeskRoom;
  readonly web: { readonly logins: Logins; readonly pushes: Pushes };
}

/** What the config says of a cluster. */
export interface ConfiguredHost {
  readonly host: HostName;
  readonly servers: readonly string[];
  readonly stream: string;
  readonly hosts: readonly AdmittedHost[];
  /** This host's own; absent until it is read. */
  readonly key?: string;
  readonly since: Instant;
  /** Why it cannot be opened, and what to do. */
  readonly trouble?: string;
}

/** The cluster in the owner's config. */
export interface ClusterSetting {
  configured(): ConfiguredHost | undefined;
  /** Throws that there is none. */
  absent(): never;
  /** The way to the engine. */
  test(): Promise<readonly ClusterCheck[]>;
  join(wish: RequestOf<"cluster_join">): Promise<ClusterJoined>;
  admit(wish: RequestOf<"cluster_admit">): Promise<Admitted>;
  /** These return the path of the config. */
  expel(host: HostName): string;
  leave(): string;
}

/** The cluster that is open; undefined if none is. */
export interface OpenHosts {
  report(): ClusterReport | undefined;
  hosts(): readonly ShownHost[] | undefined;
  ping(host: HostName): Promise<Pinged | undefined>;
}

export interface DaemonParts {
  readonly clusterSetting: ClusterSetting;
  readonly openHosts: OpenHosts;
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
