/** The connection to Codex's own server: a WebSocket over a Unix socket, text both ways, nothing negotiated. */
import { createConnection } from "node:net";
import type { ClientOptions, WebSocket } from "ws";
import type { Link } from "./app-server.ts";

export const WEBSOCKET_LIMITS = {
  /** What the server itself allows in one message. */
  messageBytes: 16 * 1024 * 1024,
  /** Of one message: each costs memory, even one of nothing. */
  pieces: 16_384,
  /** Of our own frames and answers to its pings that it has not read. */
  backlogBytes: 4 * 1024 * 1024,
  /** A server that was told goodbye and does not answer is left. */
  farewellMs: 1_000,
} as const;

/** Rejects when the socket is not there, does not answer as a WebSocket, or the signal is aborted. */
export async function openWebSocket(path: string, signal: AbortSignal): Promise<Link> {
  // The command line knows every program, and only a daemon that has met a Codex needs this.
  const { WebSocket } = await import("ws");
  signal.throwIfAborted();
  // Two of these are younger than their types.
  const options: ClientOptions & { readonly maxFragments: number; readonly closeTimeout: number } = {
    // Not as an address: a path may hold what an address reads otherwise.
    createConnection: (() => createConnection(path)) as typeof createConnection,
    perMessageDeflate: false,
    maxPayload: WEBSOCKET_LIMITS.messageBytes,
    maxFragments: WEBSOCKET_LIMITS.pieces,
    closeTimeout: WEBSOCKET_LIMITS.farewellMs,
    autoPong: false,
  };
  const socket = new WebSocket("ws://localhost/", options);
  // An error without a listener would end the daemon.
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
      // What comes before anybody listens waits.
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
    // If the connection is gone, the listener has been told.
    send: (text) => socket.send(text, () => {}),
    close: () => socket.close(),
  };
}
