/** The envelope of a request line: which answer it expects, and its content. */
import { requestToCamel } from "../../wire/casing.ts";
import { malformed, parseJsonBytes } from "../../wire/lines.ts";

export type ReqId = string | number;

/** The parts of a request that determine the form of its answer. */
export interface Manner {
  readonly reqId: ReqId | undefined;
  /** A caller that names no version is answered flat. */
  readonly form: "flat" | "enveloped";
  /** Of its own messages only the ids, and what it listens to without what most messages have in common. */
  readonly brief?: true;
}

export interface OpenedEnvelope {
  /** Known even if the content cannot be read, so that the caller can match the answer. */
  readonly reqId: ReqId | undefined;
  readonly manner: Manner;
  readonly content:
    | { readonly kind: "unreadable"; readonly error: unknown }
    | { readonly kind: "request"; readonly type: unknown; fields(): Readonly<Record<string, unknown>> };
}

const LONGEST_REQ_ID = 128;
/** The fields that are not of the request. */
const ENVELOPE: ReadonlySet<string> = new Set(["type", "req_id", "version", "brief"]);

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
  const { type, req_id: reqId, version, brief } = value as Record<string, unknown>;
  if (!isReqId(reqId)) {
    const what = `Field "req_id" must be a number or a string of at most ${LONGEST_REQ_ID} characters.`;
    return unreadable(malformed(what, 'Correct "req_id", or leave it out.'), line);
  }
  const form = version === undefined ? "flat" : "enveloped";
  if (brief !== undefined && (typeof brief !== "boolean" || form === "flat")) {
    const what = 'Field "brief" must be true or false, and goes with a "version".';
    const error = malformed(what, 'Correct "brief", or leave it out.');
    return { reqId, manner: { reqId, form }, content: { kind: "unreadable", error } };
  }
  return {
    reqId,
    manner: brief === true ? { reqId, form, brief } : { reqId, form },
    content: {
      kind: "request",
      type,
      fields: () => requestToCamel(value, ENVELOPE) as Record<string, unknown>,
    },
  };
}

function isReqId(value: unknown): value is ReqId | undefined {
  if (typeof value === "string") return value.length <= LONGEST_REQ_ID;
  return value === undefined || typeof value === "number";
}

/** A line that cannot be parsed may still show that it names a version. */
function unreadable(error: unknown, line: Buffer): OpenedEnvelope {
  const form = line.includes('"version"') ? "enveloped" : "flat";
  return { reqId: undefined, manner: { reqId: undefined, form }, content: { kind: "unreadable", error } };
}
