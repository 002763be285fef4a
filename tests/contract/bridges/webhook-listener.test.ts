import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, it } from "vitest";
import { LISTENER_LIMITS, type Listening, listen } from "../../../src/bridges/webhook/listener.ts";
import { until } from "../../rig/scripted-agent.ts";

describe("the listener for webhooks", () => {
  let listening: Listening;
  const sockets: Socket[] = [];

  const timing = { headersMs: 200, requestMs: 400, idleMs: 200 };

  beforeEach(async () => {
    listening = await listen({ port: 0, knows: () => true, handle: async () => ({ status: 200 }) }, timing);
  });

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await listening.close();
  });

  function opened(): Socket {
    const socket = connect(listening.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.resume();
    sockets.push(socket);
    return socket;
  }

  it.each([
    ["says nothing", ""],
    ["never ends its headers", "POST /ci HTTP/1.1\r\nhost: x\r\nx-"],
    [
      "never ends its body",
      "POST /ci HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    ],
    [
      "keeps a connection and does not use it",
      "POST /ci HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
    ],
  ])("drops one that %s", async (_, text) => {
    const socket = opened();
    socket.write(text);
    await until(() => socket.destroyed || socket.closed, "the connection to be dropped");
  });

  it(`serves at most ${LISTENER_LIMITS.connections} at once`, async () => {
    const many = Array.from({ length: LISTENER_LIMITS.connections + 20 }, opened);
    await until(() => many.filter((socket) => socket.closed).length >= 20, "twenty to be turned away");
  });
});
