/** An office that knows no terminals, and its doors on real sockets, with those who listen counted. */
import { join } from "node:path";
import { type HttpDoor, startHttpDoor } from "../../src/doors/http/door.ts";
import { startUnixDoor, type UnixDoor } from "../../src/doors/unix/door.ts";
import type { UnixLimits } from "../../src/doors/unix/limits.ts";
import { startWsDoor, type WsDoor } from "../../src/doors/ws/door.ts";
import type { WsLimits } from "../../src/doors/ws/limits.ts";
import { agentOfToken } from "../../src/home/token.ts";
import { parseHookEvent } from "../../src/hooks/events.ts";
import type { OfficeContext } from "../../src/office/base/context.ts";
import { Office } from "../../src/office/office.ts";
import type { Store } from "../../src/ports/store.ts";
import { HOOKED_PROGRAMS } from "../../src/programs/index.ts";
import { bodyFilesIn } from "../../src/store/body-files.ts";
import { systemClock } from "../../src/system/clock.ts";
import { randomIds, sha256 } from "../../src/system/ids.ts";
import type { Streams } from "../../src/wire/verbs/streams.ts";
import { OUTSIDE } from "../desk/outside.ts";
import { AS_SHIPPED } from "../desk/settings.ts";
import type { RememberedLog } from "./scripted-use-cases.ts";

export interface DoorOptions {
  readonly ws?: Partial<WsLimits>;
  readonly unix?: Partial<UnixLimits>;
}

export interface Doors {
  readonly http: HttpDoor;
  readonly ws: WsDoor;
  readonly unix: UnixDoor;
}

export interface Known {
  token: string;
  /** Listeners that were opened and not closed. */
  listening: number;
  following: number;
  /** Readers of the board. */
  reading: number;
}

/** No bridge is open, though two are configured, and the person has a channel of their own. */
export const OWN_CHANNELS = ["telegram/42"];
const SETTINGS = {
  ...AS_SHIPPED,
  desk: { ...AS_SHIPPED.desk, channels: OWN_CHANNELS, bridges: ["telegram", "email"] as const },
};

interface Behind {
  readonly folder: string;
  readonly log: RememberedLog;
  readonly office: Office;
  readonly known: Known;
}

/** The office's own, counted. */
function counted({ listen, follow, routes, board, screen, mailboxOf }: Streams, known: Known): Streams {
  return {
    mailboxOf,
    routes,
    screen,
    async board(request, ready, claims) {
      const reading = await board(request, ready, claims);
      known.reading += 1;
      let close = () => {
        known.reading -= 1;
        reading.close();
        close = () => {};
      };
      return { take: () => reading.take(), close: () => close() };
    },
    async follow(request, ear, claims) {
      let left = () => {
        known.following -= 1;
        left = () => {};
      };
      const counting = {
        ...ear,
        over(error: Parameters<typeof ear.over>[0]) {
          left();
          ear.over(error);
        },
      };
      const following = await follow(request, counting, claims);
      known.following += 1;
      return {
        ...following,
        close() {
          left();
          following.close();
        },
      };
    },
    async listen(request, push) {
      const listening = await listen(request, push);
      known.listening += 1;
      let close = () => {
        known.listening -= 1;
        listening.close();
        close = () => {};
      };
      return { ...listening, close: () => close() };
    },
  };
}

export async function openDoors(
  { folder, log, office, known }: Behind,
  options: DoorOptions,
): Promise<Doors> {
  const { useCases } = office;
  const streams = counted(office.streams, known);
  const common = { useCases, streams, log, user: "dev" };
  const http = await startHttpDoor({
    ...common,
    port: { kind: "default", port: 0 },
    socketPath: join(folder, "http.sock"),
    environment: {},
    readToken: async () => known.token,
    agentOfToken,
    now: Date.now,
  });
  return {
    http,
    ws: startWsDoor({ ...common, loopback: http.loopback, limits: options.ws ?? {} }),
    unix: await startUnixDoor({
      ...common,
      path: join(folder, "bellhop.sock"),
      version: "0",
      now: Date.now,
      limits: options.unix ?? {},
    }),
  };
}

export function officeOver(store: Store, folder: string, log: RememberedLog): Office {
  const context: OfficeContext = {
    store,
    clock: systemClock,
    ids: randomIds,
    digest: sha256,
    log,
    files: bodyFilesIn(join(folder, "messages")),
    processes: {
      tree: async () => [],
      identify: async () => "gone",
      lineage: async () => [],
      alive: async () => "gone",
      isInUse: () => false,
      standing: async () => "gone",
      workingFolder: async () => undefined,
      environment: async () => ({}),
    },
    transcripts: {
      ending: async () => "as-told",
      conversation: async () => ({ kind: "unreadable", why: "none" }),
      find: async () => ({ kind: "unreadable", why: "no program here" }),
      opened: async () => new Set(),
    },
    inboxes: {},
    hookSign: { wanted: () => {} },
    owner: "person/dev",
    checkpoint: () => {},
    settings: () => SETTINGS,
  };
  return new Office({
    ...OUTSIDE,
    context,
    registry: { lookUp: async () => undefined, note: async () => undefined },
    servers: () => [],
    profile: () => undefined,
    parseHookEvent: (request) => parseHookEvent(request, HOOKED_PROGRAMS),
  });
}
