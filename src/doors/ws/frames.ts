/** Frames as a server writes them: whole, unmasked, and serialised once for any number of listeners. */
import type { BoardFrame } from "../../wire/shapes/board.ts";
import type { BrokerMessage, Routed } from "../../wire/shapes/broker.ts";

const FINAL_TEXT = 0x81;
const PING = 0x89;
const PONG = 0x8a;
const TWO_BYTE_LENGTH = 126;
const EIGHT_BYTE_LENGTH = 127;

export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length < TWO_BYTE_LENGTH ? 2 : length < 0x10000 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = FINAL_TEXT;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = TWO_BYTE_LENGTH;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = EIGHT_BYTE_LENGTH;
    frame.writeUInt32BE(0, 2);
    frame.writeUInt32BE(length, 6);
  }
  frame.write(text, head);
  return frame;
}

export function answerFrame(answer: object): Buffer {
  return textFrame(JSON.stringify(answer));
}

export function pingFrame(text: string): Buffer {
  return controlFrame(PING, Buffer.from(text, "latin1"));
}

export function pongFrame(data: Buffer): Buffer {
  return controlFrame(PONG, data);
}

/** At most 125 bytes of data, so that the length always fits into one byte. */
function controlFrame(kind: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.of(kind, data.length), data]);
}

/** All listeners are told of one message before the next: a weak map of all of them kept the garbage collector busy. */
let last: { readonly message: BrokerMessage; readonly text: string; frame?: Buffer } | undefined;

function lastOf(message: BrokerMessage): NonNullable<typeof last> {
  if (last?.message !== message) last = { message, text: JSON.stringify(message) };
  return last;
}

export function pushFrame(message: BrokerMessage): Buffer {
  const push = lastOf(message);
  push.frame ??= textFrame(`{"type":"msg.push","message":${push.text}}`);
  return push.frame;
}

export function routeFrame(route: Routed): Buffer {
  return answerFrame({ type: "routes.push", route });
}

export function boardFrame(frame: BoardFrame): Buffer {
  return "snapshot" in frame
    ? answerFrame({ type: "watch.snapshot", ...frame.snapshot })
    : answerFrame({ type: "watch.changes", ...frame.changes });
}

export function sessionPushFrame(agentId: string, sessionId: string, message: BrokerMessage): Buffer {
  const head = JSON.stringify({ type: "msg.session.push", agentId, sessionId }).slice(0, -1);
  return textFrame(`${head},"message":${lastOf(message).text}}`);
}
