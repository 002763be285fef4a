/** Reads a request as the table of operations requires, or refuses it and names the field. */
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { BellhopError } from "../../core/errors.ts";
import { LIMITS } from "../../core/message.ts";
import { idempotencyKey } from "../../wire/http/fields.ts";
import type { HttpOperation, InputOf, OperationName } from "../../wire/http/operations.ts";
import { malformed, parseJsonBytes } from "../../wire/lines.ts";
import { headerValues } from "../auth/auth.ts";
import { refusal } from "../caller/requests.ts";

const NOTHING = z.strictObject({});

export function readInput<Name extends OperationName>(
  operation: HttpOperation,
  request: FastifyRequest,
): InputOf<Name> {
  const name = `${operation.method} ${operation.path}`;
  const read = (schema: z.ZodObject | undefined, fields: unknown): unknown => {
    const known = schema ?? NOTHING;
    const parsed = known.safeParse(fields);
    if (parsed.success) return parsed.data;
    throw refusal(name, known, parsed.error);
  };
  const body = read(operation.body, objectIn(request.body, operation));
  return {
    parameters: read(operation.parameters, request.params),
    query: read(operation.query, request.query),
    body,
    idempotencyKey: operation.repeatable === "by-key" ? chosenKey(name, request, body) : undefined,
  } as InputOf<Name>;
}

/** Parses a body; errors are phrased for HTTP. It may be empty: some clients send a content type without a body. */
export function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return parseJsonBytes(bytes);
  } catch (error) {
    if (!(error instanceof BellhopError) || error.code !== "request.malformed") throw error;
    throw malformed(error.message, `Send one JSON object; it may be ${LIMITS.jsonDepth} levels deep.`);
  }
}

function objectIn(body: unknown, operation: HttpOperation): object {
  if (body === undefined && (operation.body === undefined || operation.bodyMayBeAbsent === true)) return {};
  if (body !== null && typeof body === "object" && !Array.isArray(body)) return body;
  const example = JSON.stringify(operation.bodyExample ?? {});
  throw malformed("The body is not a JSON object.", `Send something like ${example}.`);
}

/** The header and the field mean the same; two different keys are refused. */
function chosenKey(name: string, request: FastifyRequest, body: unknown): string | undefined {
  const written = (body as { readonly idempotency_key?: string | null }).idempotency_key ?? undefined;
  const sent = headerValues(request.raw, "idempotency-key");
  const [header] = sent;
  if (header === undefined) return written;
  if (sent.length > 1 || (written !== undefined && written !== header)) {
    throw malformed(
      "The request carries two idempotency keys.",
      'Give one: the header "Idempotency-Key", or the field "idempotency_key".',
    );
  }
  const schema = z.strictObject({
    "Idempotency-Key": idempotencyKey.regex(/^[\x20-\x7e]+$/, "is not plain ASCII"),
  });
  const parsed = schema.safeParse({ "Idempotency-Key": header });
  if (parsed.success) return header;
  // A header's name is shown as it is: it is not a field of the body.
  throw refusal(name, schema, parsed.error, (key) => key);
}
