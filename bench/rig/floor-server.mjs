// The least that a durable broker on Node can do with Bellhop's protocols and its two tables: the same bytes come in and
// go out, over WebSockets or, as Bellhop's client library has them, over a Unix socket, and the same rows are stored, but
// nothing is checked, routed, logged or limited. All messages of one turn of the event loop share a transaction; then each
// listener gets one write, and so does the publisher.
//   node floor-server.mjs PORT DATABASE SOCKET
import { createHash, hash } from "node:crypto";
import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { newId, openRows, shortOf } from "./floor-rows.mjs";

const [port, path, socketPath] = process.argv.slice(2);
const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const rows = openRows(path);

/** By path: who listens, whose mailboxes get a delivery, and what came in this turn. */
const streams = new Map();
let waiting = false;

function streamOf(name) {
  const stream = streams.get(name) ?? { listeners: [], agents: new Set(), came: [] };
  streams.set(name, stream);
  return stream;
}

function store() {
  waiting = false;
  rows.commit(() => {
    for (const { came, agents } of streams.values()) for (const one of came) storeOne(one, agents);
  });
  for (const stream of streams.values()) {
    const { came, agents, listeners } = stream;
    if (came.length === 0) continue;
    const deliveredTo = [...agents];
    const [{ socket, door }] = came;
    socket.write(door.joined(came.map((one) => door.answer(one, deliveredTo))));
    const pushed = door.joined(came.map((one) => door.push(one)));
    for (const listener of listeners) listener.write(pushed);
    stream.came = [];
  }
}

function storeOne(one, agents) {
  const { id, now, asked } = one;
  const { path: to, body, idempotency_key: key = null } = asked;
  const digest = key === null ? null : hash("sha256", JSON.stringify([to, body]), "hex");
  if (key !== null && rows.isKnown(key)) throw new Error("nobody repeats a message here");
  const first = rows.message(id, { to, now, body, key, digest });
  let place = 0;
  for (const agent of agents) {
    place += 1;
    const release = `when a program runs for agent/${agent} (or another agent takes over its mailbox: bellhop name AGENT ${agent})`;
    rows.delivery(first, place, now, JSON.stringify({ reason: "offline", since: now, release }));
  }
}

function answerTo({ id, asked }, deliveredTo) {
  return { type: "msg.route.ok", delivered: true, deliveredTo, messageId: id, reqId: asked.reqId };
}

function pushOf({ id, now, asked: { path, body } }) {
  return { type: "msg.push", brief: [id, shortOf(id), "person/bench", path, body, now, "queued"] };
}

function frameOf(value) {
  const text = JSON.stringify(value);
  const length = Buffer.byteLength(text);
  const head = length < 126 ? 2 : 4;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = 0x81;
  frame[1] = head === 2 ? length : 126;
  if (head === 4) frame.writeUInt16BE(length, 2);
  frame.write(text, head);
  return frame;
}

const WEB_SOCKET = {
  answer: (one, deliveredTo) => frameOf(answerTo(one, deliveredTo)),
  push: (one) => frameOf(pushOf(one)),
  joined: (frames) => Buffer.concat(frames),
  listening: () => frameOf({ type: "msg.listen.ok" }),
};

const UNIX_SOCKET = {
  answer: ({ id, asked }) =>
    lineOf({
      ok: true,
      req_id: asked.req_id,
      version: "0.1.0",
      result: { message_id: id, unmatched: false },
    }),
  push: ({ id, now, asked: { path, body } }) =>
    lineOf({ type: "push", req_id: 1, brief: [id, shortOf(id), "person/bench", path, body, now, "queued"] }),
  joined: (lines) => lines.join(""),
  listening: () => lineOf({ ok: true, req_id: 1, version: "0.1.0", result: {} }),
};

function lineOf(value) {
  return `${JSON.stringify(value)}\n`;
}

function take(socket, asked, door) {
  if (asked.type === "msg.route" || asked.type === "route") {
    const now = Date.now();
    streamOf(asked.path).came.push({ id: newId(now), now, asked, socket, door });
    if (!waiting) setImmediate(store);
    waiting = true;
    return;
  }
  const stream = streamOf(asked.path);
  stream.listeners.push(socket);
  stream.agents.add(asked.agentId);
  socket.write(door.listening());
}

/** Returns where the next frame begins; -1 if this one is incomplete. */
function read(socket, bytes, at) {
  if (bytes.length - at < 2) return -1;
  let length = bytes[at + 1] & 0x7f;
  let from = at + 2;
  if (length === 126) {
    if (bytes.length - at < 4) return -1;
    length = bytes.readUInt16BE(from);
    from += 2;
  }
  const text = from + 4;
  const next = text + length;
  if (next > bytes.length) return -1;
  for (let index = 0; index < length; index += 1) bytes[text + index] ^= bytes[from + (index & 3)];
  take(socket, JSON.parse(bytes.toString("utf8", text, next)), WEB_SOCKET);
  return next;
}

function readLine(socket, bytes, at) {
  const end = bytes.indexOf(0x0a, at);
  if (end < 0) return -1;
  take(socket, JSON.parse(bytes.toString("utf8", at, end)), UNIX_SOCKET);
  return end + 1;
}

/** Reads all that is complete, and keeps the rest until more comes. */
function hear(socket, readOne) {
  socket.on("error", () => socket.destroy());
  let rest;
  socket.on("data", (chunk) => {
    const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (let next = readOne(socket, bytes, at); next !== -1; next = readOne(socket, bytes, at)) at = next;
    rest = at < bytes.length ? bytes.subarray(at) : undefined;
  });
}

createServer()
  .on("upgrade", (request, socket) => {
    const accept = createHash("sha1")
      .update(request.headers["sec-websocket-key"] + MAGIC)
      .digest("base64");
    socket.setNoDelay(true);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    hear(socket, read);
  })
  .listen(Number(port), "127.0.0.1");

createSocketServer((socket) => hear(socket, readLine)).listen(socketPath);
