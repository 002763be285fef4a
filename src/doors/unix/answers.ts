/**
 * One answer as a line. A caller that names its version gets an envelope; any other gets the flat form that the first
 * clients of this socket expect: `{ ok, error, message_id, message, agent, bridge }`, with the error as text.
 */
import type { BellhopError } from "../../core/errors.ts";
import type { DeliveryState, Instant } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { toSnake } from "../../wire/casing.ts";
import { jsonLine } from "../../wire/lines.ts";
import type { StatusResponse } from "../../wire/shapes/daemon.ts";
import type { ShowResponse } from "../../wire/shapes/messages.ts";
import type { ShownSession } from "../../wire/shapes/sessions.ts";
import type { ResponseOf, Verb } from "../../wire/verbs/index.ts";
import type { Manner, ReqId } from "./envelope.ts";

export function success(version: string, manner: Manner, result: object, verb?: Verb): string {
  const { reqId, form, brief } = manner;
  const isOfSending = isSent(verb, result);
  if (brief === true && isOfSending) return sentLine(version, reqId, result);
  if (form === "flat") return jsonLine(toSnake({ ok: true, ...echo(reqId), ...flat(result, verb) }));
  // Whoever speaks to daemons of several versions asks for it only then.
  const offer = isOfSending ? { canBeBrief: true } : {};
  return jsonLine(toSnake({ ok: true, ...echo(reqId), version, ...offer, result }));
}

interface BrieflySent {
  readonly messageId: string;
  readonly unmatched?: boolean;
}

function isSent(verb: Verb | undefined, result: object): result is BrieflySent {
  return (verb === "send" || verb === "route" || verb === "reply") && "messageId" in result;
}

/** The rest of such an answer is what the caller said itself. */
function sentLine(version: string, reqId: ReqId | undefined, { messageId, unmatched }: BrieflySent): string {
  const echo = reqId === undefined ? "" : `"req_id":${JSON.stringify(reqId)},`;
  const result = `{"message_id":${JSON.stringify(messageId)},"unmatched":${unmatched === true}}`;
  return `{"ok":true,${echo}"version":${JSON.stringify(version)},"result":${result}}\n`;
}

export function failure(version: string, { reqId, form }: Manner, error: BellhopError): string {
  const { message, ...detail } = error.toDetail();
  if (form === "flat")
    return jsonLine(toSnake({ ok: false, ...echo(reqId), error: `${message} ${detail.next}`, ...detail }));
  return jsonLine(toSnake({ ok: false, ...echo(reqId), version, error: error.toDetail() }));
}

function echo(reqId: ReqId | undefined): { readonly reqId?: ReqId } {
  return reqId === undefined ? {} : { reqId };
}

/** What the first clients asked for has fixed fields; everything else is as in other answers. */
function flat(result: object, verb: Verb | undefined): object {
  switch (verb) {
    case "show":
      return shown(result as ShowResponse);
    case "status": {
      const [bridge] = (result as StatusResponse).bridges ?? [];
      return { ...result, ...present({ bridge }) };
    }
    case "session": {
      const { agent: name, sessionId, readiness, ...session } = result as ShownSession;
      return {
        agent: { name, ...present({ sessionId }), state: readiness, ...session },
      };
    }
    case "session_stop":
    case "attach": {
      const { agent: name, sessionId, ...more } = result as ResponseOf<"attach" | "session_stop">;
      return { agent: { name, sessionId }, sessionId, ...more };
    }
    default:
      return result;
  }
}

function shown({ message, deliveries }: ShowResponse): object {
  const [first] = deliveries;
  const deliveredAt = first?.receipts.find(({ state }) => isThere(state))?.at;
  return {
    messageId: message.id,
    message: {
      ...message,
      filePath: message.file,
      ...(first === undefined ? {} : { status: statusOf(first.state) }),
      ...(deliveredAt === undefined ? {} : { deliveredAt: deliveredAt satisfies Instant }),
    },
    deliveries,
  };
}

/** One of the two words that those clients know if it is accurate; otherwise the state itself. */
function statusOf(state: DeliveryState): string {
  if (isThere(state)) return "delivered";
  return state === "delivering" ? "queued" : state;
}

function isThere(state: DeliveryState): boolean {
  return state === "delivered" || state === "read" || state === "replied";
}
