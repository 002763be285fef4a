/** Frames as a server writes them: whole, unmasked, and serialised once for any number of listeners. */
import type { BoardFrame } from "../../wire/shapes/board.ts";
import type { BrokerMessage, Routed } from "../../wire/shapes/broker.ts";
import { briefly } from "../../wire/told-message.ts";

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

/** As `{ type: "… .ok", ...answer, reqId }` would be; `answer` has neither of these. */
export function okFrame(
  type: string,
  answer: { readonly type?: never; readonly reqId?: never },
  reqId: string | number | undefined,
): Buffer {
  const fields = JSON.stringify(answer).slice(1, -1);
  const echo = reqId === undefined ? "" : `,"reqId":${JSON.stringify(reqId)}`;
  return textFrame(`{"type":"${type}.ok"${fields === "" ? "" : ","}${fields}${echo}}`);
}

/** At most 125 bytes of data, so that the length always fits into one byte. */
function controlFrame(kind: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.of(kind, data.length), data]);
}

/** How listeners want a message: whole, or without what most messages have in common. */
export type Told = "in-full" | "briefly";

interface Pushed {
  readonly message: BrokerMessage;
  readonly text: string;
  frame?: Buffer;
}

/** All listeners are told of one message before the next: a weak map of all of them kept the garbage collector busy. */
class Last {
  #pushed: Pushed | undefined;
  readonly #textOf: (message: BrokerMessage) => string;

  constructor(textOf: (message: BrokerMessage) => string) {
    this.#textOf = textOf;
  }

  textOf(message: BrokerMessage): string {
    return this.#about(message).text;
  }

  frameOf(message: BrokerMessage): Buffer {
    const last = this.#about(message);
    last.frame ??= textFrame(`{"type":"msg.push",${last.text}}`);
    return last.frame;
  }

  #about(message: BrokerMessage): Pushed {
    if (this.#pushed?.message !== message) this.#pushed = { message, text: this.#textOf(message) };
    return this.#pushed;
  }
}

const LAST: Readonly<Record<Told, Last>> = {
  "in-full": new Last((message) => `"message":${JSON.stringify(message)}`),
  briefly: new Last((message) => `"brief":${JSON.stringify(briefly(message))}`),
};

export function pushFrame(message: BrokerMessage, told: Told): Buffer {
  return LAST[told].frameOf(message);
}

export function routeFrame(route: Routed): Buffer {
  return answerFrame({ type: "routes.push", route });
}

export function boardFrame(frame: BoardFrame): Buffer {
  return "snapshot" in frame
    ? answerFrame({ type: "watch.snapshot", ...frame.snapshot })
    : answerFrame({ type: "watch.changes", ...frame.changes });
}

export function sessionPushFrame(
  agentId: string,
  sessionId: string,
  message: BrokerMessage,
  told: Told,
): Buffer {
  const head = JSON.stringify({ type: "msg.session.push", agentId, sessionId }).slice(0, -1);
  return textFrame(`${head},${LAST[told].textOf(message)}}`);
}
