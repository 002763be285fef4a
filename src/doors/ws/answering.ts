/** From one opened frame to its answer. Everything that goes wrong on the way becomes an answer too. */
import type { Instant } from "../../core/message.ts";
import type { Log } from "../../ports/log.ts";
import type { ListenRequest } from "../../wire/verbs/broker.ts";
import type { WsRequest } from "../../wire/ws/schemas.ts";
import type { Listen } from "../caller/listener.ts";
import type { Reply } from "../caller/pump.ts";
import { tellable } from "../caller/requests.ts";
import { answerFrame, pushFrame, sessionPushFrame } from "./frames.ts";
import type { Listens } from "./listens.ts";
import { type Asking, answerQuestion, readFrame, readType } from "./requests.ts";
import { authFirst, echo, failure, type Question } from "./speech.ts";

/** `after` is called when the answer is written, unless a listener begins then. */
export async function carryOut(
  { type, reqId, fields }: Question,
  asking: Asking,
  listens: Listens,
  log: Log,
  after?: () => void,
): Promise<Reply> {
  try {
    const known = readType(type);
    switch (known) {
      case "auth":
        throw authFirst();
      case "ping":
        readFrame(known, fields);
        return { frame: answerFrame({ type: "pong", ...echo(reqId) }), after };
      case "msg.listen":
        return await listenToAgent(readFrame(known, fields), asking, listens);
      case "msg.session.listen":
        return await listenToSession(readFrame(known, fields), asking, listens);
      default: {
        const answer = await answerQuestion(known, readFrame(known, fields), asking);
        return { frame: answerFrame({ type: `${known}.ok`, ...answer, ...echo(reqId) }), after };
      }
    }
  } catch (error) {
    // Not turned into a text, whatever it is: an object may bring a "toString" of its own.
    const asked = typeof type === "string" ? type.slice(0, 64) : typeof type;
    return { frame: answerFrame(failure(tellable(error, log, asked), type, reqId)), after };
  }
}

async function listenToAgent(
  { type, agentId, reqId, consume = false, agentSince }: WsRequest<"msg.listen">,
  asking: Asking,
  listens: Listens,
): Promise<Reply> {
  const request = { ...asking.mailbox({ agentId }), consume, ...known(agentSince) };
  const listen = await listens.open(request, pushFrame);
  const answer = { type: `${type}.ok`, agentId, ...(await told(listen, agentSince)), ...echo(reqId) };
  return { frame: answerFrame(answer), after: () => listen.begin() };
}

async function listenToSession(
  { type, agentId, sessionId, reqId, consume = false, agentSince }: WsRequest<"msg.session.listen">,
  asking: Asking,
  listens: Listens,
): Promise<Reply> {
  const request = { ...asking.mailbox({ agentId, sessionId }), consume, ...known(agentSince) };
  const listen = await listens.open(request, (message) => sessionPushFrame(agentId, sessionId, message));
  const answer = {
    type: `${type}.ok`,
    agentId,
    sessionId,
    ...(await told(listen, agentSince)),
    ...echo(reqId),
  };
  return { frame: answerFrame(answer), after: () => listen.begin() };
}

type AgentSince = WsRequest<"msg.listen">["agentSince"];

function known(agentSince: AgentSince): Pick<ListenRequest, "agentSince"> {
  return agentSince === undefined || agentSince === null ? {} : { agentSince };
}

async function told({ opened }: Listen, asked: AgentSince): Promise<{ readonly agentSince?: Instant }> {
  const { agentSince } = await opened;
  return asked === undefined ? {} : { agentSince };
}
