/**
 * Connections that have not shown a valid token yet. A slow one does not harm the others: beyond a limit, the oldest
 * is dropped, and a legitimate caller needs only a moment to authenticate.
 */
import type { Server, Socket } from "node:net";

export interface UnauthenticatedSockets {
  /** It has authenticated, so it is no longer dropped. */
  admit(socket: Socket): void;
  dropAll(): void;
}

export function watchUnauthenticated(server: Server, most: number): UnauthenticatedSockets {
  // A set keeps the order of arrival.
  const waiting = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    waiting.add(socket);
    socket.once("close", () => waiting.delete(socket));
    for (const oldest of waiting) {
      if (waiting.size <= most) break;
      waiting.delete(oldest);
      oldest.destroy();
    }
  });
  return {
    admit: (socket) => void waiting.delete(socket),
    dropAll() {
      for (const socket of waiting) socket.destroy();
    },
  };
}
