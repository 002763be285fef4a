/**
 * The HTTP door, opened twice: on 127.0.0.1 behind Host, Origin and token rules, and on a Unix socket whose file mode
 * is the credential, so that a hook can be one `curl --unix-socket`.
 */
import type { Server } from "node:net";
import type { FastifyRequest } from "fastify";
import { BellhopError } from "../../core/errors.ts";
import { type Admission, checkToken, headerValues, type Keys } from "../auth/auth.ts";
import { LoopbackGuard } from "../auth/loopback-guard.ts";
import type { UnauthenticatedSockets } from "../auth/unauthenticated-sockets.ts";
import { type Closing, closingSwitch } from "../caller/closing.ts";
import { tellable } from "../caller/requests.ts";
import { clearStaleSocket, type ListenedAgain, listenAgain, listenPrivately } from "../unix/door.ts";
import { Entrance, type Upgrade } from "./entrance.ts";
import { turnAway } from "./hang-up.ts";
import { HTTP_LIMITS, type HttpLimits } from "./limits.ts";
import type { RouteSetting } from "./routes.ts";

/** A port that the owner configured is mandatory; our default is only a preference. */
export type PortChoice = { readonly kind: "explicit" | "default"; readonly port: number };

export interface HttpDoorOptions extends Keys, RouteSetting {
  readonly port: PortChoice;
  readonly socketPath: string;
  readonly limits?: Partial<HttpLimits>;
}

export interface HttpDoor {
  readonly host: string;
  readonly port: number;
  readonly socketPath: string;
  /** For protocols that begin as an HTTP request on the port. */
  readonly loopback: Loopback;
  /** Closes idle connections and those that have not authenticated. */
  letIdleGo(): void;
  /** Recreates the Unix socket. */
  listenAgain(): Promise<ListenedAgain>;
  close(deadlineMs?: number): Promise<void>;
}

export interface Loopback {
  readonly server: Server;
  readonly loopbackGuard: LoopbackGuard;
  readonly strangers: UnauthenticatedSockets;
  /** Requests to switch to another protocol go there; without it they are answered like any other. */
  onUpgrade(take: Upgrade): void;
}

const LOOPBACK = "127.0.0.1";

export async function startHttpDoor(options: HttpDoorOptions): Promise<HttpDoor> {
  const setting = { ...options, limits: { ...HTTP_LIMITS, ...options.limits }, closing: closingSwitch() };
  const { closing } = setting;
  const { port, loopback, entrance } = await openTcp(setting);
  let local: Entrance;
  try {
    local = await openLocal(setting);
  } catch (error) {
    await entrance.close();
    throw error;
  }
  const entrances = [entrance, local];
  return {
    host: LOOPBACK,
    port,
    socketPath: options.socketPath,
    loopback,
    letIdleGo() {
      for (const each of entrances) each.letIdleGo();
    },
    listenAgain: () => listenAgain(local.server, options.socketPath),
    async close(deadlineMs = 2_000) {
      closing.begin();
      const closed = Promise.all(entrances.map((each) => each.close()));
      const timer = setTimeout(() => {
        closing.end();
        // The last answers are on their way; a caller that does not read them is not waited for.
        setImmediate(() => {
          for (const each of entrances) each.cutOff();
        });
      }, deadlineMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

interface Setting extends HttpDoorOptions {
  readonly limits: HttpLimits;
  readonly closing: Closing;
}

interface OpenTcp {
  readonly port: number;
  readonly entrance: Entrance;
  readonly loopback: Loopback;
}

async function openTcp(setting: Setting): Promise<OpenTcp> {
  const { kind, port } = setting.port;
  try {
    return await listenOn(port, setting);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
    if (kind === "default") {
      setting.log.warn("http.port_taken", { port });
      return listenOn(0, setting);
    }
    throw new BellhopError("http.port_taken", {
      message: `Port ${port} on ${LOOPBACK} cannot be opened (${code}).`,
      next: "Stop what listens there, or set http.port in config.yaml to another port.",
      cause: error,
    });
  }
}

async function listenOn(port: number, setting: Setting): Promise<OpenTcp> {
  const loopbackGuard = new LoopbackGuard(setting, setting.now);
  const entrance = entranceOf(
    setting,
    async (request) => {
      const met = loopbackGuard.meet(request.raw, request.raw.url);
      if (met.kind === "refused" || request.routeOptions.config.open === "to-all") return met;
      const identified = await loopbackGuard.identify(request.raw);
      if (identified.kind === "refused") return identified;
      entrance.strangers.admit(request.raw.socket);
      if (identified.who.kind === "agent") request.agent = identified.who.name;
      if (identified.shown.kind === "browser") request.browser = identified.shown.session;
      return identified;
    },
    loopbackGuard,
  );
  const { server, strangers } = entrance;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: LOOPBACK, port }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  const bound = address !== null && typeof address === "object" ? address.port : port;
  loopbackGuard.listensOn(bound);
  const onUpgrade = (take: Upgrade) => entrance.onUpgrade(take);
  return { port: bound, entrance, loopback: { server, loopbackGuard, strangers, onUpgrade } };
}

async function openLocal(setting: Setting): Promise<Entrance> {
  const entrance = entranceOf(setting, async (request) => {
    entrance.strangers.admit(request.raw.socket);
    // Few routes need a token here. A caller that shows one is its bearer, as on the port: the socket adds no rights.
    const mayBeWithout = request.routeOptions.config.token !== "everywhere";
    if (mayBeWithout && headerValues(request.raw, "authorization").length === 0) return { kind: "admitted" };
    const identified = await checkToken(request.raw, setting);
    if (identified.kind === "admitted" && identified.who.kind === "agent")
      request.agent = identified.who.name;
    return identified;
  });
  await clearStaleSocket(setting.socketPath);
  await listenPrivately(entrance.server, setting.socketPath);
  return entrance;
}

/** The dashboard is only where there is a guard: browsers do not come by the Unix socket. */
function entranceOf(
  setting: Setting,
  admit: (request: FastifyRequest) => Promise<Admission>,
  guard?: LoopbackGuard,
): Entrance {
  const { limits, closing, log } = setting;
  const entrance = new Entrance({
    limits,
    open: async () => {
      const { openApp } = await import("./app.ts");
      return openApp(setting, limits, closing, admit, guard);
    },
    refuse: (socket, cause) => turnAway(socket, tellable(cause, log, "http")),
  });
  // Accepting fails when no file descriptor is left. Without a listener, the error would end the daemon.
  entrance.server.on("error", (error) => log.warn("http.failed", { cause: error.message }));
  return entrance;
}
