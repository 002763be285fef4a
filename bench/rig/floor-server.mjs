// The least that a durable broker on Node can do: no routing, no rights, no JSON. A frame is four bytes of length and a
// body. All messages of one turn of the event loop share a transaction, with the rows that Bellhop writes into its own
// two tables; then each listener gets one write, and the publisher an empty frame for each message.
//   node floor-server.mjs PORT DATABASE
import { randomUUID } from "node:crypto";
import { createServer } from "node:net";
import { DatabaseSync } from "@photostructure/sqlite";

const [port, path] = process.argv.slice(2);
const HEAD = 4;
const PLACES = 65_536;
const ANSWER = Buffer.alloc(HEAD);
const HOLD = `{"reason":"offline","since":1700000000000,"release":"when a program runs for it"}`;

const database = new DatabaseSync(path);
for (const pragma of ["synchronous = FULL", "cache_size = -8192", "wal_autocheckpoint = 1024"])
  database.exec(`PRAGMA ${pragma}`);
const insertMessage = database.prepare(
  `INSERT INTO messages (id, short_id, from_address, to_address, priority, source, hops, created_at, file, body)
   VALUES (?, ?, 'person/bench', 'bench/floor', 'normal', 'person', 0, ?, ?, ?)`,
);
const insertDelivery = database.prepare(
  `INSERT INTO deliveries (sequence, position, mailbox, sender, priority, state, release_rule, attempts,
     at_most_once, possible_duplicate, queued_at, hold)
   VALUES (?1, ?1, ?2, 0, 'normal', 'queued', 'by-rule', 0, 0, 0, ?3, ?4)`,
);

/** By name: who listens, how many deliveries each message has, and what came in this turn. */
const streams = new Map();
let waiting = false;

function streamOf(name) {
  const stream = streams.get(name) ?? { listeners: [], deliveries: 1, came: [], publisher: undefined };
  streams.set(name, stream);
  return stream;
}

function store() {
  waiting = false;
  // Not prepared: what refers to the database keeps the garbage collector from closing it.
  database.exec("BEGIN IMMEDIATE");
  for (const { came, deliveries } of streams.values()) {
    for (const frame of came) {
      const id = randomUUID();
      const now = Date.now();
      const stored = insertMessage.run(id, id.slice(-12), now, `shared/${id}.md`, frame.subarray(HEAD));
      const first = Number(stored.lastInsertRowid) * PLACES;
      for (let place = 1; place <= deliveries; place += 1)
        insertDelivery.run(first + place, place, now, HOLD);
    }
  }
  database.exec("COMMIT");
  for (const stream of streams.values()) {
    if (stream.came.length === 0) continue;
    const all = Buffer.concat(stream.came);
    stream.publisher.write(Buffer.concat(stream.came.map(() => ANSWER)));
    for (const listener of stream.listeners) listener.write(all);
    stream.came = [];
  }
}

function take(connection, frame) {
  if (connection.stream !== undefined) {
    connection.stream.came.push(frame);
    if (!waiting) setImmediate(store);
    waiting = true;
    return;
  }
  const [role, name, deliveries] = frame.toString("utf8", HEAD).split(" ");
  const stream = streamOf(name);
  if (role === "listen") stream.listeners.push(connection.socket);
  else {
    connection.stream = stream;
    stream.publisher = connection.socket;
    stream.deliveries = Number(deliveries);
  }
  connection.socket.write(ANSWER);
}

createServer((socket) => {
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  const connection = { socket, stream: undefined };
  let rest;
  socket.on("data", (chunk) => {
    const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (bytes.length - at >= HEAD) {
      const next = at + HEAD + bytes.readUInt32BE(at);
      if (next > bytes.length) break;
      take(connection, bytes.subarray(at, next));
      at = next;
    }
    rest = at < bytes.length ? bytes.subarray(at) : undefined;
  });
}).listen(Number(port), "127.0.0.1");
