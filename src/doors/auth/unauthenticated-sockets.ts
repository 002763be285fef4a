/**
 * Connections that have not shown the right token yet. A slow one costs its neighbours nothing: beyond a number of
 * them, the one that has stood there longest is dropped, and a good caller needs only a moment to stop being one.
 */
import type { Server, Socket } from "node:net";

export interface UnauthenticatedSockets {
  /** It has shown who it is: from now on it stays. */
  admit(socket: Socket): void;
  dropAll(): void;
}

export function watchUnauthenticated(server: Server, most: number): UnauthenticatedSockets {
  // A set remembers the order of arrival.
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
