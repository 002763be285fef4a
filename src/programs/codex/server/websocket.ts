/** The connection to Codex's server: a WebSocket over a Unix socket, with text messages and no extensions. */
import { createConnection } from "node:net";
import type { ClientOptions, WebSocket } from "ws";
import type { Link } from "./app-server.ts";

export const WEBSOCKET_LIMITS = {
  /** The server's own limit for one message. */
  messageBytes: 16 * 1024 * 1024,
  /** Fragments per message: each costs memory, even if empty. */
  pieces: 16_384,
  /** Our own frames and pongs that the server has not read. */
  backlogBytes: 4 * 1024 * 1024,
  /** How long to wait for the server to answer a close. */
  farewellMs: 1_000,
} as const;

/** Rejects if the socket is missing or is not a WebSocket, or the signal is aborted. */
export async function openWebSocket(path: string, signal: AbortSignal): Promise<Link> {
  // Loaded lazily: the command line loads every program, but only a daemon that has found a Codex needs this.
  const { WebSocket } = await import("ws");
  signal.throwIfAborted();
  // The type definitions do not have two of these options yet.
  const options: ClientOptions & { readonly maxFragments: number; readonly closeTimeout: number } = {
    // Not as a URL: a path may contain characters that mean something else there.
    createConnection: (() => createConnection(path)) as typeof createConnection,
    perMessageDeflate: false,
    maxPayload: WEBSOCKET_LIMITS.messageBytes,
    maxFragments: WEBSOCKET_LIMITS.pieces,
    closeTimeout: WEBSOCKET_LIMITS.farewellMs,
    autoPong: false,
  };
  const socket = new WebSocket("ws://localhost/", options);
  // Without a listener, an error would end the daemon.
  socket.on("error", () => "told to whoever waits or listens");
  await opened(socket, signal);
  return linkOver(socket);
}

function opened(socket: WebSocket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => fail(new Error("it took too long"));
    const settle = () => {
      signal.removeEventListener("abort", abort);
      socket.off("open", open).off("error", fail).off("close", close);
    };
    const open = () => {
      settle();
      // Paused until someone listens, so that no message is lost.
      socket.pause();
      resolve();
    };
    const fail = (error: Error) => {
      settle();
      reject(error);
      socket.terminate();
    };
    const close = () => fail(new Error("it closed the connection"));
    socket.on("open", open).on("error", fail).on("close", close);
    signal.addEventListener("abort", abort, { once: true });
  });
}

function linkOver(socket: WebSocket): Link {
  return {
    listen(receive, lost) {
      socket.on("message", (data, isBinary) => {
        if (!isBinary) receive(data.toString());
      });
      socket.on("ping", (data) => {
        if (socket.bufferedAmount <= WEBSOCKET_LIMITS.backlogBytes) return socket.pong(data);
        lost(new Error("it sent too much"));
        socket.terminate();
      });
      socket.on("error", lost);
      socket.on("close", () => lost(new Error("it closed the connection")));
      socket.resume();
    },
    // If the connection is gone, the listener has already been told.
    send: (text) => socket.send(text, () => {}),
    close: () => socket.close(),
  };
}
