/** From one parsed frame to its answer. Every failure becomes an answer too. */
import type { Instant } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { Log } from "../../ports/log.ts";
import type { BrokerMessage } from "../../wire/shapes/broker.ts";
import type { ListenRequest } from "../../wire/verbs/broker.ts";
import type { WsRequest, WsType } from "../../wire/ws/schemas.ts";
import type { Listen } from "../caller/listener.ts";
import type { Reply } from "../caller/pump.ts";
import { tellable } from "../caller/requests.ts";
import { answerFrame, okFrame, pushFrame, sessionPushFrame, type Told } from "./frames.ts";
import type { Listens } from "./listens.ts";
import { type AdmittedCaller, answerQuestion, readFrame, readType } from "./requests.ts";
import { authFirst, echo, failure, type Question } from "./speech.ts";

/** `after` is called when the answer is written, unless that starts a listener. */
export async function carryOut(
  { type, reqId, fields }: Question,
  caller: AdmittedCaller,
  listens: Listens,
  log: Log,
  after?: () => void,
): Promise<Reply> {
  try {
    // Keys are answered only if they are refused: see `typeKeys`.
    const known = readType(type) as Exclude<WsType, "screen.keys">;
    switch (known) {
      case "auth":
        throw authFirst();
      case "ping":
        readFrame(known, fields);
        return { frame: answerFrame({ type: "pong", ...echo(reqId) }), after };
      case "msg.listen":
      case "msg.session.listen":
        return await listenTo(readFrame(known, fields), caller, listens);
      case "routes": {
        readFrame(known, fields);
        const told = await listens.routes(caller.claims);
        return { frame: answerFrame({ type: `${known}.ok`, ...echo(reqId) }), after: () => told.begin() };
      }
      case "unroutes":
        readFrame(known, fields);
        listens.endRoutes();
        return { frame: answerFrame({ type: `${known}.ok`, ...echo(reqId) }) };
      case "watch": {
        const { topics } = readFrame(known, fields);
        const told = await listens.board(present({ topics }), caller.claims);
        return { frame: answerFrame({ type: `${known}.ok`, ...echo(reqId) }), after: () => told.begin() };
      }
      case "unwatch":
        readFrame(known, fields);
        listens.endBoard();
        return { frame: answerFrame({ type: `${known}.ok`, ...echo(reqId) }) };
      case "screen.open": {
        const { screen, who } = readFrame(known, fields);
        const { reading, begin } = await listens.screens.open(screen, who, caller.claims);
        const { sessionId, kind, viewer } = reading;
        const answer = { type: `${known}.ok`, screen, sessionId, kind, viewer, ...echo(reqId) };
        return { frame: answerFrame(answer), after: begin };
      }
      case "screen.close": {
        const { screen } = readFrame(known, fields);
        listens.screens.close(screen);
        return { frame: answerFrame({ type: `${known}.ok`, screen, ...echo(reqId) }) };
      }
      case "screen.keyboard": {
        const { screen, take } = readFrame(known, fields);
        await listens.screens.keyboard(screen, take);
        return { frame: answerFrame({ type: `${known}.ok`, screen, take, ...echo(reqId) }) };
      }
      default: {
        const answer = await answerQuestion(known, readFrame(known, fields), caller);
        return { frame: okFrame(known, answer, reqId), after };
      }
    }
  } catch (error) {
    // Never converted to a string: an object may bring its own "toString".
    const asked = typeof type === "string" ? type.slice(0, 64) : typeof type;
    return { frame: answerFrame(failure(tellable(error, log, asked), type, reqId)), after };
  }
}

/** Keys come one by one and fast, so only a refusal is answered. */
export async function typeKeys(
  { type, reqId, fields }: Question,
  { screens }: Pick<Listens, "screens">,
  log: Log,
  refuse: (error: object) => void,
): Promise<void> {
  try {
    const { screen, keys } = readFrame("screen.keys", fields);
    await screens.keys(screen, keys);
  } catch (error) {
    const { screen } = fields;
    const which = typeof screen === "number" ? { screen } : {};
    refuse({ ...failure(tellable(error, log, "screen.keys"), type, reqId), ...which });
  }
}

async function listenTo(
  frame: WsRequest<"msg.listen" | "msg.session.listen">,
  caller: AdmittedCaller,
  listens: Listens,
): Promise<Reply> {
  const { type, agentId, reqId, consume = false, agentSince, brief } = frame;
  const told: Told = brief === true ? "briefly" : "in-full";
  const mailbox = frame.type === "msg.listen" ? { agentId } : { agentId, sessionId: frame.sessionId };
  const request = { ...caller.mailbox(mailbox), consume, ...known(agentSince) };
  const frameOf = (message: BrokerMessage): Buffer =>
    mailbox.sessionId === undefined
      ? pushFrame(message, told)
      : sessionPushFrame(agentId, mailbox.sessionId, message, told);
  const listen = await listens.open(request, { told, frameOf });
  const since = await sinceWhen(listen, agentSince);
  const answer = { type: `${type}.ok`, ...mailbox, ...since, ...echo(reqId) };
  return { frame: answerFrame(answer), after: () => listen.begin() };
}

type AgentSince = WsRequest<"msg.listen">["agentSince"];

function known(agentSince: AgentSince): Pick<ListenRequest, "agentSince"> {
  return agentSince === undefined || agentSince === null ? {} : { agentSince };
}

async function sinceWhen({ opened }: Listen, asked: AgentSince): Promise<{ readonly agentSince?: Instant }> {
  const { agentSince } = await opened;
  return asked === undefined ? {} : { agentSince };
}
