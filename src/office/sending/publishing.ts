/** `route`: to whoever subscribes to a path, and whom it reached. Called by its verb; accept takes it. */
import { splitAddress } from "../../core/address.ts";
import { present } from "../../core/present.ts";
import { parsePattern } from "../../core/routing/pattern.ts";
import type { RouteResponse } from "../../wire/shapes/broker.ts";
import type { RequestOf } from "../../wire/verbs/index.ts";
import { brokerMessage, handledBy, standing } from "../broker/broker-shape.ts";
import { type SubmittingParts, submit } from "./submitting.ts";

export async function route(parts: SubmittingParts, request: RequestOf<"route">): Promise<RouteResponse> {
  const { context } = parts;
  const { path, body = "", payload = body === "" ? {} : undefined, ...rest } = request;
  const { message, deliveries, unmatched, reason } = await submit(
    parts,
    { ...rest, body, ...present({ payload }) },
    parsePattern(path).text,
    parts.directory.bringer(request.claims, request.from, request.channel),
  );
  const { read } = context.store;
  const [first] = deliveries;
  const places = deliveries.map(({ to }) => splitAddress(to));
  return {
    messageId: message.id,
    shortId: message.shortId,
    delivered: !unmatched,
    unmatched,
    ...present({ reason }),
    deliveredTo: places.filter(({ kind }) => kind === "agent").map(({ rest: name }) => name),
    deliveredToSessions: places
      .filter(({ kind }) => kind === "session")
      .flatMap(({ rest: session }) => handledBy(session, read)),
    message: { ...brokerMessage(message, undefined, read), ...(first === undefined ? {} : standing(first)) },
  };
}
