/** The daemon's WebSocket: one JSON object per text message. The only file of the client that loads `ws`. */
import WebSocket, { type RawData } from "ws";
import type { ErrorDetail } from "../../core/errors.ts";
import { CLIENT_LIMITS, type Fields, type Heard, type Place } from "./connection.ts";
import { errorFrom, lost, unreachable, unreadable } from "./failures.ts";

export interface WsTarget {
  readonly url: string;
  readonly token: string;
}

export function webSocket({ url, token }: WsTarget): Place {
  return {
    name: url,
    named: (heard) => heard,
    dial(ear) {
      const socket = new WebSocket(url, {
        headers: { authorization: `Bearer ${token}` },
        maxPayload: CLIENT_LIMITS.answerBytes,
        perMessageDeflate: false,
      });
      let broken = (error: Error) => unreachable(`The daemon cannot be reached on ${url}.`, error);
      socket.on("open", () => {
        broken = (error) => (isProtocolError(error) ? unreadable(error) : lost(error));
        ear.opened();
      });
      socket.on("unexpected-response", (_request, { statusCode }) =>
        ear.over(unreachable(`The daemon refused the connection (${statusCode}): check the token.`)),
      );
      socket.on("message", (data, isBinary) => ear.heard(() => readFrame(data, isBinary)));
      socket.on("error", (error) => ear.over(broken(error)));
      socket.on("close", () => ear.over(lost()));
      return {
        send: (reqId, { type, fields }) => socket.send(JSON.stringify({ type, ...fields, reqId })),
        pause: () => socket.pause(),
        resume: () => socket.resume(),
        close: () => socket.terminate(),
      };
    },
  };
}

/** What the daemon sent was not a WebSocket message, or was too large. */
function isProtocolError({ code }: NodeJS.ErrnoException): boolean {
  return code?.startsWith("WS_ERR_") === true;
}

function readFrame(data: RawData, isBinary: boolean): Heard {
  const frame: unknown = isBinary ? null : JSON.parse(String(data));
  if (!isFields(frame) || typeof frame.type !== "string") throw new Error("this is no frame");
  const { type, reqId: to } = frame;
  if (to !== undefined && typeof to !== "number") throw new Error("this was never asked");
  if (type === "error" || type.endsWith(".error"))
    return { kind: "refusal", to, error: errorFrom(frame as Partial<ErrorDetail>) };
  return to === undefined ? { kind: "push", push: frame } : { kind: "answer", to, answer: frame };
}

export function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
