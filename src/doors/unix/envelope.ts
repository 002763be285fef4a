/** The outside of a request line: who must get the answer, and what is inside. */
import { requestToCamel } from "../../wire/casing.ts";
import { malformed, parseJsonBytes } from "../../wire/lines.ts";

export type ReqId = string | number;

/** How the caller asked, as far as the answer goes by it. */
export interface Manner {
  readonly reqId: ReqId | undefined;
  /** A caller that says no version is answered flat. */
  readonly form: "flat" | "enveloped";
}

export interface OpenedEnvelope {
  /** Known even when the inside is not to be read, so that the answer finds its question. */
  readonly reqId: ReqId | undefined;
  readonly manner: Manner;
  readonly content:
    | { readonly kind: "unreadable"; readonly error: unknown }
    | { readonly kind: "request"; readonly type: unknown; fields(): Readonly<Record<string, unknown>> };
}

const LONGEST_REQ_ID = 128;

export function openEnvelope(line: Buffer): OpenedEnvelope {
  let value: unknown;
  try {
    value = parseJsonBytes(line);
  } catch (error) {
    return unreadable(error, line);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    const how = 'Send one object per line, such as {"type":"status"}.';
    return unreadable(malformed("A request is one JSON object.", how), line);
  }
  const { type, req_id: reqId, version, ...rest } = value as Record<string, unknown>;
  if (!isReqId(reqId)) {
    const what = `Field "req_id" must be a number or a string of at most ${LONGEST_REQ_ID} characters.`;
    return unreadable(malformed(what, 'Correct "req_id", or leave it out.'), line);
  }
  return {
    reqId,
    manner: { reqId, form: version === undefined ? "flat" : "enveloped" },
    content: { kind: "request", type, fields: () => requestToCamel(rest) as Record<string, unknown> },
  };
}

function isReqId(value: unknown): value is ReqId | undefined {
  if (typeof value === "string") return value.length <= LONGEST_REQ_ID;
  return value === undefined || typeof value === "number";
}

/** What cannot be read may still show that it says a version. */
function unreadable(error: unknown, line: Buffer): OpenedEnvelope {
  const form = line.includes('"version"') ? "enveloped" : "flat";
  return { reqId: undefined, manner: { reqId: undefined, form }, content: { kind: "unreadable", error } };
}
