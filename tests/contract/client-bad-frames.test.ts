/** `bellhop/client` over a WebSocket whose server breaks the protocol: it costs a connection, never the user's process. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { type Bellhop, openBellhop } from "../../src/client/library.ts";

interface Asked {
  readonly type: string;
  readonly reqId: number;
}
interface Caller {
  say(frame: unknown): void;
  readonly socket: WebSocket;
  /** Below the WebSocket: bytes as they are. */
  readonly raw: Duplex;
}
type Manners = (caller: Caller, asked: Asked) => void;

const MESSAGE = { id: "11111111-2222-4333-8444-555555555555", from: "api", body: "hi" };
const MOST_BYTES = 64 * 1024 * 1024;

const polite: Manners = ({ say }, { type, reqId }) => {
  if (type === "msg.receive") say({ type: `${type}.ok`, reqId, messages: [MESSAGE] });
  else if (type === "msg.sub.list") say({ type: `${type}.ok`, reqId, subscriptions: [] });
  else say({ type: `${type}.ok`, reqId, messageId: MESSAGE.id, unmatched: false });
  if (type === "msg.listen") say({ type: "msg.push", message: MESSAGE });
};

const BAD: Readonly<Record<string, Manners>> = {
  "text that is no JSON": ({ socket }) => socket.send("{ nonsense"),
  "a binary message": ({ socket }, { type, reqId }) =>
    socket.send(Buffer.from(JSON.stringify({ type: `${type}.ok`, reqId, messages: [] }))),
  "more bytes than an answer may have": ({ raw }) => {
    const head = Buffer.from([0x81, 127, 0, 0, 0, 0, 0, 0, 0, 0]);
    head.writeBigUInt64BE(BigInt(MOST_BYTES) + 1n, 2);
    raw.write(head);
  },
  "an opcode that does not exist": ({ raw }) => raw.write(Buffer.from([0x83, 0])),
  "text that is no UTF-8": ({ raw }) => raw.write(Buffer.from([0x81, 1, 0xff])),
  "an answer to what nobody asked": ({ say }) => say({ type: "msg.receive.ok", reqId: 999, messages: [] }),
  "a refusal of what nobody asked": ({ say }) => say({ type: "msg.receive.error", reqId: 999 }),
  "an answer to an id of another kind": ({ say }) =>
    say({ type: "msg.receive.ok", reqId: "1", messages: [] }),
  null: ({ say }) => say(null),
  "a number": ({ say }) => say(5),
  "a list": ({ say }) => say([{ type: "msg.receive.ok", reqId: 1, messages: [] }]),
  "a frame without a type": ({ say }, { reqId }) => say({ reqId, messages: [] }),
  "a frame whose type is no text": ({ say }, { reqId }) => say({ type: 7, reqId, messages: [] }),
};
const BAD_ANSWERS: Readonly<Record<string, Manners>> = {
  ...BAD,
  "an answer without its content": ({ say }, { type, reqId }) => say({ type: `${type}.ok`, reqId }),
  "an answer whose content is of another kind": ({ say }, { type, reqId }) =>
    say({ type: `${type}.ok`, reqId, messages: "none", messageId: 7, subscriptions: {} }),
};
const BAD_PUSHES: Readonly<Record<string, Manners>> = {
  ...BAD,
  "a push without a message": ({ say }) => say({ type: "msg.push" }),
  "a push whose message is none": ({ say }) => say({ type: "msg.push", message: "hi" }),
};
const UNREADABLE = { code: "daemon.unreachable", message: "The daemon's answer cannot be read." };

let server: WebSocketServer;
let bellhop: Bellhop;
let connections: number;
/** By connection; the last holds for all that follow. */
let manners: Manners[];

beforeEach(async () => {
  connections = 0;
  server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  server.on("connection", (socket, { socket: raw }) => {
    const own = manners[Math.min(connections, manners.length - 1)];
    connections += 1;
    const say = (frame: unknown): void => socket.send(JSON.stringify(frame));
    socket.on("message", (data) => own?.({ say, socket, raw }, JSON.parse(String(data)) as Asked));
    socket.on("error", () => {});
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  bellhop = await openBellhop({ url: `ws://127.0.0.1:${port}/ws`, token: "secret", patienceMs: 5_000 });
});
afterEach(async () => {
  bellhop.close();
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
});

describe.each(Object.entries(BAD_ANSWERS))("answered with %s", (_, bad) => {
  it("tells the caller, and asks on a new connection from then on", async () => {
    manners = [bad, polite];
    await expect(bellhop.receive("coder")).rejects.toMatchObject(UNREADABLE);
    expect(await bellhop.receive("coder")).toEqual([MESSAGE]);
    expect(connections).toBe(2);
  });

  it("asks again by itself what may be asked twice", async () => {
    manners = [bad, polite];
    const [sent, subscriptions] = await Promise.all([
      bellhop.send("coder", "hello"),
      bellhop.subscriptions("coder"),
    ]);
    expect(sent).toEqual({ messageId: MESSAGE.id, unmatched: false });
    expect(subscriptions).toEqual([]);
  });
});

describe.each(Object.entries(BAD_PUSHES))("pushed %s", (_, bad) => {
  it("listens on, on a new connection", async () => {
    const badly: Manners = (caller, asked) => {
      caller.say({ type: `${asked.type}.ok`, reqId: asked.reqId });
      bad(caller, asked);
    };
    manners = [badly, polite];
    expect(await bellhop.listen("coder").next()).toEqual({ done: false, value: MESSAGE });
    expect(connections).toBe(2);
  });
});

it("gives up on a server that never says anything readable, and says so", async () => {
  manners = [({ socket }) => socket.send("{ nonsense")];
  await expect(bellhop.send("coder", "hello")).rejects.toMatchObject(UNREADABLE);
  await expect(bellhop.listen("coder").next()).rejects.toMatchObject(UNREADABLE);
});

it("gives up on a server that lets it listen and breaks off each time, without dialling in haste", async () => {
  manners = [
    ({ say, socket }, { type, reqId }) => {
      say({ type: `${type}.ok`, reqId });
      socket.send("{ nonsense");
    },
  ];
  await expect(bellhop.listen("coder").next()).rejects.toMatchObject(UNREADABLE);
  expect(connections).toBeLessThan(10);
});

it("does not mind a frame of a kind that it does not know yet", async () => {
  manners = [
    (caller, asked) => {
      caller.say({ type: "msg.news", headline: "something newer" });
      polite(caller, asked);
    },
  ];
  expect(await bellhop.receive("coder")).toEqual([MESSAGE]);
  expect(connections).toBe(1);
});
