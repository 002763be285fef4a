/** The daemon's doors: opened one after the other, kept open while its home exists, closed with it. */
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../config/config.ts";
import { childEnvironment } from "../core/rights/child-environment.ts";
import { type HttpDoor, startHttpDoor } from "../doors/http/door.ts";
import type { Webhooks } from "../doors/http/webhooks.ts";
import { startUnixDoor } from "../doors/unix/door.ts";
import { startWsDoor } from "../doors/ws/door.ts";
import { agentOfToken, readOrCreateToken } from "../home/token.ts";
import type { Office } from "../office/office.ts";
import { systemClock } from "../system/clock.ts";
import { VERSION } from "../wire/version.ts";
import type { Closers } from "./closers.ts";
import type { DoorShares } from "./door-shares.ts";
import { keepSockets } from "./kept-sockets.ts";
import type { TerminalsParts } from "./terminals.ts";

export interface DoorsParts extends TerminalsParts {
  readonly user: string;
  readonly config: Config;
  readonly office: Office;
  readonly shares: DoorShares;
  readonly closers: Closers;
  /** Called for every door once it is open. */
  readonly opened: (door: { letIdleGo(): void }) => void;
  /** If the home was removed, its paths are no longer ours. */
  homeStands(): boolean;
  makeFolders(): void;
  readonly webhooks: Webhooks;
  /** The name by which the dashboard is served outside; it may change with the config. */
  webName(): string | undefined;
  /** Called with the loopback door's port as soon as that is open. */
  portKnown(port: number): void;
}

export async function openDoors(parts: DoorsParts): Promise<void> {
  const { home, log, user, office, shares, closers, opened } = parts;
  readOrCreateToken(home.token, randomBytes);
  const httpDoor = await openHttpDoor(parts);
  parts.portKnown(httpDoor.port);
  const { useCases, streams } = office;
  const wsDoor = startWsDoor({
    loopback: httpDoor.loopback,
    useCases,
    streams,
    log,
    user,
    limits: shares.ws,
  });
  closers.add("websockets", () => wsDoor.close());
  const unixDoor = await startUnixDoor({
    path: home.socket,
    useCases,
    streams,
    log,
    version: VERSION,
    user,
    now: systemClock.now,
    limits: shares.unix,
  });
  closers.add("unix door", () => unixDoor.close());
  opened(unixDoor);
  const sockets = keepSockets({
    folder: home.runFolder,
    putBack: async () => {
      if (!parts.homeStands()) return "were-there";
      parts.makeFolders();
      const doors = await Promise.all([unixDoor.listenAgain(), httpDoor.listenAgain()]);
      return doors.includes("again") ? "put-back" : "were-there";
    },
    clock: systemClock,
    log,
  });
  closers.add("activated sockets", () => sockets.close());
}

async function openHttpDoor(parts: DoorsParts): Promise<HttpDoor> {
  const { home, log, user, config, office, shares, closers, opened } = parts;
  const isChosen = config.origins["http.port"]?.kind === "file";
  const door = await startHttpDoor({
    port: { kind: isChosen ? "explicit" : "default", port: config.values.http.port },
    socketPath: home.httpSocket,
    readToken: async () => readOrCreateToken(home.token, randomBytes),
    agentOfToken,
    logins: office.webLogins,
    webName: parts.webName,
    webFolder: join(dirname(fileURLToPath(import.meta.url)), "web"),
    useCases: office.useCases,
    log,
    user,
    environment: childEnvironment(parts.environment, {}),
    now: systemClock.now,
    webhooks: parts.webhooks,
    limits: shares.http,
  });
  closers.add("http door", () => door.close());
  opened(door);
  return door;
}
