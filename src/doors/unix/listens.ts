/** Pushes messages to a listener on the Unix socket: one line each, with the `req_id` of the listen request. */
import { toSnake } from "../../wire/casing.ts";
import { jsonLine } from "../../wire/lines.ts";
import type { BoardFrame } from "../../wire/shapes/board.ts";
import type { BrokerMessage, Routed } from "../../wire/shapes/broker.ts";
import { brieflyInSnake } from "../../wire/told-message.ts";
import type { Push } from "../../wire/verbs/streams.ts";
import { type Outlet, whenRoom } from "../caller/outlet.ts";
import type { Manner, ReqId } from "./envelope.ts";

export function telling(outlet: Outlet, manner: Manner): Push {
  const line = lineFor(manner);
  return (message) => outlet.write(line(message));
}

/** Waits for room instead of being cut off. Counts as written once the system accepts it: nothing here acknowledges. */
export function handing(outlet: Outlet, manner: Manner): Push {
  const line = lineFor(manner);
  const write = (message: BrokerMessage) =>
    new Promise<"written" | "gone">((resolve) => {
      if (outlet.write(line(message), resolve) === "gone") resolve("gone");
    });
  return (message) => whenRoom(outlet, () => write(message));
}

/**
 * Serialised once for any number of listeners: all are told of one message before the next. Most of them listen under the
 * same `req_id`, and get the very same line, so that an outlet can see that it is the same.
 */
function onceFor(
  textOf: (message: BrokerMessage) => string,
): (message: BrokerMessage, head: string) => string {
  let told: BrokerMessage | undefined;
  let text = "";
  let headed = "";
  let line = "";
  return (message, head) => {
    if (told !== message) {
      text = textOf(message);
      told = message;
    } else if (headed === head) return line;
    headed = head;
    line = head + text;
    return line;
  };
}

const inFull = onceFor((message) => `"message":${JSON.stringify(toSnake(message))}}\n`);
const inBrief = onceFor((message) => `"brief":${JSON.stringify(brieflyInSnake(message))}}\n`);

function lineFor({ reqId, brief }: Manner): (message: BrokerMessage) => string {
  const head = `{"type":"push","req_id":${JSON.stringify(reqId)},`;
  const told = brief === true ? inBrief : inFull;
  return (message) => told(message, head);
}

export function boardLine(reqId: ReqId, frame: BoardFrame): ReturnType<typeof jsonLine> {
  return jsonLine(toSnake({ type: "push", reqId, ...frame }));
}

export function routeLine(reqId: ReqId, route: Routed): ReturnType<typeof jsonLine> {
  return jsonLine(toSnake({ type: "push", reqId, route }));
}
