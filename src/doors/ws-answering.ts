/** From one opened frame to its answer. Everything that goes wrong on the way becomes an answer too. */
import type { Log } from "../ports/log.ts";
import type { WsRequest } from "../wire/ws-schemas.ts";
import { tellable } from "./requests.ts";
import { pushFrame, sessionPushFrame } from "./ws-frames.ts";
import type { Listens } from "./ws-listens.ts";
import { type Asking, answerQuestion, readFrame, readType } from "./ws-requests.ts";
import { authFirst, echo, failure, type Question } from "./ws-speech.ts";

export interface Said {
  readonly answer: object;
  /** When it is written. */
  readonly after?: (() => void) | undefined;
}

export async function carryOut(
  { type, reqId, fields }: Question,
  asking: Asking,
  listens: Listens,
  log: Log,
): Promise<Said> {
  try {
    const known = readType(type);
    switch (known) {
      case "auth":
        throw authFirst();
      case "ping":
        readFrame(known, fields);
        return { answer: { type: "pong", ...echo(reqId) } };
      case "msg.listen":
        return await listenToAgent(readFrame(known, fields), asking, listens);
      case "msg.session.listen":
        return await listenToSession(readFrame(known, fields), asking, listens);
      default: {
        const answer = await answerQuestion(known, readFrame(known, fields), asking);
        return { answer: { type: `${known}.ok`, ...answer, ...echo(reqId) } };
      }
    }
  } catch (error) {
    // Not turned into a text, whatever it is: an object may bring a "toString" of its own.
    const asked = typeof type === "string" ? type.slice(0, 64) : typeof type;
    return { answer: failure(tellable(error, log, asked), type, reqId) };
  }
}

async function listenToAgent(
  { type, agentId, consume = false, reqId }: WsRequest<"msg.listen">,
  asking: Asking,
  listens: Listens,
): Promise<Said> {
  const listen = await listens.open({ ...asking.mailbox({ agentId }), consume }, pushFrame);
  return { answer: { type: `${type}.ok`, agentId, ...echo(reqId) }, after: () => listen.begin() };
}

async function listenToSession(
  { type, agentId, sessionId, consume = false, reqId }: WsRequest<"msg.session.listen">,
  asking: Asking,
  listens: Listens,
): Promise<Said> {
  const listen = await listens.open({ ...asking.mailbox({ agentId, sessionId }), consume }, (message) =>
    sessionPushFrame(agentId, sessionId, message),
  );
  return { answer: { type: `${type}.ok`, agentId, sessionId, ...echo(reqId) }, after: () => listen.begin() };
}
