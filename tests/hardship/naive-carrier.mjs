// The control arm: carries messages as one would without a store, by NATS's own publish, without JetStream.
//   naive-carrier.mjs receive SERVERS SUBJECT FILE     writes each message that comes to the file
//   naive-carrier.mjs send SERVERS                     JSON lines on stdin: { subject, text }; "sent" for each
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { connect } from "@nats-io/transport-node";

const [what, servers, subject, file] = process.argv.slice(2);
const connection = await connect({
  servers: servers.split(","),
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
  pingInterval: 1_000,
});

if (what === "receive") {
  const heard = connection.subscribe(subject);
  await connection.flush();
  console.log("ready");
  for await (const message of heard)
    appendFileSync(file, `${JSON.stringify({ at: Date.now(), prompt: message.string() })}\n`);
} else {
  console.log("ready");
  for await (const line of createInterface({ input: process.stdin })) {
    const { subject: to, text } = JSON.parse(line);
    connection.publish(to, text);
    console.log("sent");
  }
}
