/** The WebSocket door: `/ws` on the loopback port. What speaks the protocol is loaded with the first who asks for it. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { closeAll } from "../caller/closing.ts";
import { onFirstUse } from "../caller/first-use.ts";
import { tellable } from "../caller/requests.ts";
import type { Loopback } from "../http/door.ts";
import { turnAway } from "../http/hang-up.ts";
import type { WsConnection, WsSetting } from "./connection.ts";
import { WS_LIMITS, type WsLimits } from "./limits.ts";
import type { Upgrades, WsDoorState } from "./upgrades.ts";

export interface WsDoorOptions extends Pick<WsSetting, "useCases" | "streams" | "log" | "user"> {
  readonly loopback: Loopback;
  readonly limits?: Partial<WsLimits>;
}

export interface WsDoor {
  readonly connections: number;
  /** Accepts nothing new, answers what is under way, says goodbye (1001), and cuts off the rest at the deadline. */
  close(deadlineMs?: number): Promise<void>;
}

export function startWsDoor(options: WsDoorOptions): WsDoor {
  const { loopback, log } = options;
  const { server, loopbackGuard, strangers } = loopback;
  const limits = { ...WS_LIMITS, ...options.limits };
  const state: WsDoorState = { connections: new Set(), closing: false, heart: undefined };
  const { connections } = state;
  // Otherwise long-lived connections would take the places of short requests.
  server.maxConnections += limits.connections;

  const upgrades = onFirstUse(async (): Promise<Upgrades> => {
    const { Upgrades } = await import("./upgrades.ts");
    return new Upgrades({ ...options, loopbackGuard, strangers, limits }, state);
  });
  const take = async (request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    let opened: Upgrades;
    try {
      opened = await upgrades();
    } catch (cause) {
      return turnAway(socket, tellable(cause, log, "ws"));
    }
    await opened.take(request, socket, head);
  };
  loopback.onUpgrade((request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => {});
    take(request, socket as Socket, head).catch((cause) => {
      log.error("ws.upgrade_failed", { cause: String(cause) });
      socket.destroy();
    });
  });

  return {
    get connections() {
      return connections.size;
    },
    async close(deadlineMs = 2_000) {
      state.closing = true;
      clearInterval(state.heart);
      await closeAll(connections, () => allClosed(connections), deadlineMs);
    },
  };
}

async function allClosed(connections: ReadonlySet<WsConnection>): Promise<void> {
  while (connections.size > 0) await Promise.all([...connections].map(({ closed }) => closed));
}
