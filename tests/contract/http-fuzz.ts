/** Requests drawn from `/openapi.json`: right, almost right, and hostile. */
import fc, { type Arbitrary } from "fast-check";
import { almost, type Schema, valuesOf } from "./json-schema-arbitrary.ts";

export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: unknown;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: "path" | "query" | "header";
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

export interface FuzzRequest {
  readonly kind: "right" | "almost" | "hostile";
  /** The operation it was generated from; a hostile request may differ from it. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: Buffer;
}

export interface Pools {
  /** Words for recipients that exist. */
  readonly recipients: readonly string[];
  readonly token: string;
}

/** Stands for a message or a reminder that was created during the test. */
export const MADE = { message: "@message", reminder: "@reminder" } as const;

export function requestsFrom(document: OpenapiDocument, pools: Pools): Arbitrary<FuzzRequest> {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const each = all.map((described) => ({
    weight: described.operation.requestBody === undefined ? 2 : 6,
    arbitrary: requestsTo(document, pools, described),
  }));
  return fc.oneof(...each);
}

interface Described {
  readonly path: string;
  readonly method: string;
  readonly operation: DescribedOperation;
}

function requestsTo(document: OpenapiDocument, pools: Pools, described: Described): Arbitrary<FuzzRequest> {
  const right = rightRequests(document, pools, described);
  return fc.oneof(
    { weight: 5, arbitrary: right },
    { weight: 4, arbitrary: right.chain(spoilt) },
    { weight: 2, arbitrary: right.chain(hostile) },
  );
}

function rightRequests(
  document: OpenapiDocument,
  pools: Pools,
  { path, method, operation }: Described,
): Arbitrary<FuzzRequest> {
  const resolve = (reference: string) =>
    reference
      .replace(/^#\//, "")
      .split("/")
      .reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document) as Schema;
  const valuesFor = (place: "path" | "query" | "header") => {
    const there = (operation.parameters ?? []).filter((parameter) => parameter.in === place);
    return fc.record(
      Object.fromEntries(there.map(({ name, schema }) => [name, wordsFor(name, schema, pools, resolve)])),
      { requiredKeys: there.filter(({ required }) => required).map(({ name }) => name) },
    ) as Arbitrary<Record<string, string>>;
  };
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const bodies = schema === undefined ? fc.constant(undefined) : bodiesOf(schema, pools, resolve);
  return fc
    .tuple(valuesFor("path"), valuesFor("query"), valuesFor("header"), bodies)
    .map(([inPath, inQuery, inHeader, drawn]) => {
      // Two keys are refused, and the description cannot say so.
      const body = Object.keys(inHeader).length > 0 ? { ...drawn, idempotency_key: null } : drawn;
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(inPath[name] ?? ""),
      );
      const query = new URLSearchParams(inQuery).toString();
      return {
        kind: "right",
        operation: operation.operationId,
        method,
        path: query === "" ? filled : `${filled}?${query}`,
        headers: {
          authorization: `Bearer ${pools.token}`,
          ...Object.fromEntries(Object.entries(inHeader).map(([name, value]) => [name, inHeaderLine(value)])),
          // Also without a body, so that no form of another page can ask.
          ...(["GET", "DELETE"].includes(method) && body === undefined
            ? {}
            : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
      };
    });
}

/** What a header can carry. */
function inHeaderLine(value: string): string {
  return value.replaceAll(/[^\x21-\x7e]/g, "-");
}

function wordsFor(
  name: string,
  schema: Schema,
  pools: Pools,
  resolve: (reference: string) => Schema,
): Arbitrary<string> {
  const drawn = (valuesOf(schema, resolve) as Arbitrary<string | number>).map(String).filter(isWhole);
  const known =
    name === "session_id"
      ? fc.constantFrom(...pools.recipients)
      : name === "agent"
        ? fc.constantFrom(...pools.recipients.filter((who) => !who.includes("/")))
        : name === "message_id"
          ? fc.constant(MADE.message)
          : name === "reminder_id"
            ? fc.constant(MADE.reminder)
            : name === "Idempotency-Key"
              ? fc.nat({ max: 30 }).map((number) => `key-${number}`)
              : undefined;
  return known === undefined
    ? drawn
    : fc.oneof({ weight: 4, arbitrary: known }, { weight: 1, arbitrary: drawn });
}

function bodiesOf(schema: Schema, pools: Pools, resolve: (reference: string) => Schema): Arbitrary<object> {
  const someone = fc.constantFrom(...pools.recipients);
  return fc.tuple(valuesOf(schema, resolve), someone, fc.nat({ max: 4 })).map(([value, who, dice]) => {
    const body = value as Record<string, unknown>;
    // Random names would never match a recipient.
    const chosen = dice === 0 ? {} : { ...(Object.hasOwn(body, "session_id") ? { session_id: who } : {}) };
    const sender = dice > 1 && typeof body.sender_session_id === "string" ? { sender_session_id: who } : {};
    // Nor would they match a message.
    const answered = dice > 0 && Object.hasOwn(body, "re") ? { re: null } : {};
    const scheduled = dice > 1 && Object.hasOwn(body, "session_id");
    if (Object.hasOwn(body, "change")) return oneChangeOf(body);
    return { ...body, ...chosen, ...sender, ...answered, ...(scheduled ? oneTimeOf(body) : {}) };
  });
}

/** A reminder takes only one kind of time: if several were generated, the first. */
function oneTimeOf(body: Readonly<Record<string, unknown>>): object {
  const ways = ["delay_seconds", "at", "cron", "every_seconds"].filter(
    (way) => typeof body[way] === "number",
  );
  return Object.fromEntries(
    ["delay_seconds", "at", "cron", "every_seconds"].map((way) => [way, way === ways[0] ? body[way] : null]),
  );
}

/** Which fields belong to which change, the description says in words only. */
function oneChangeOf({ change, before, priority }: Readonly<Record<string, unknown>>): object {
  if (change === "move") return { change, before: before ?? MADE.message };
  return change === "priority" ? { change, priority: priority ?? "idle" } : { change };
}

function isWhole(text: string): boolean {
  return text.isWellFormed();
}

function spoilt(request: FuzzRequest): Arbitrary<FuzzRequest> {
  const kind = "almost";
  const paths = fc
    .constantFrom(
      "",
      "%20",
      "%00",
      "%F0%9F%98%80",
      "a".repeat(1_100),
      "%2e%2e",
      "agent%2F*",
      "session%2F",
      "*",
      "**",
    )
    .map(
      (word) => ({ ...request, kind, path: request.path.replace(/^(\/\w+\/)[^/?]*/, `$1${word}`) }) as const,
    );
  const queries = fc
    .constantFrom(
      "limit=0",
      "limit=x",
      "limit=1&limit=1",
      "from_time=-1",
      "__proto__=1",
      "x[]=1",
      "=",
      "&&&",
      "%ff=%ff",
    )
    .map(
      (query) =>
        ({
          ...request,
          kind,
          path: `${request.path}${request.path.includes("?") ? "&" : "?"}${query}`,
        }) as const,
    );
  if (request.body === undefined) return fc.oneof(paths, queries);
  const bodies = almost(JSON.parse(request.body.toString()) as Record<string, unknown>).map(
    (body) => ({ ...request, kind, body: Buffer.from(JSON.stringify(body) ?? "null") }) as const,
  );
  return fc.oneof(
    { weight: 1, arbitrary: paths },
    { weight: 1, arbitrary: queries },
    { weight: 6, arbitrary: bodies },
  );
}

const HOSTILE_HEADERS: readonly Readonly<Record<string, string | string[]>>[] = [
  { authorization: "Bearer wrong" },
  { authorization: ["Bearer a", "Bearer b"] },
  { authorization: "" },
  { origin: "https://evil.example" },
  { origin: "null" },
  { host: "evil.example" },
  { "sec-fetch-site": "cross-site" },
  { "content-type": "text/plain" },
  { "content-type": "application/json; charset=utf-7" },
  { "content-encoding": "gzip" },
  { "accept-version": "2.x" },
  { "x-http-method-override": "DELETE" },
  { "idempotency-key": ["a", "b"] },
  { cookie: "token=x" },
  { accept: "text/html" },
  { "x-forwarded-for": "10.0.0.1", "x-forwarded-host": "evil.example" },
];
const HOSTILE_BODIES: readonly Buffer[] = [
  Buffer.from(""),
  Buffer.from("{"),
  Buffer.from('{"text":"x"'),
  Buffer.from("nul"),
  Buffer.from("\ufeff{}"),
  Buffer.from([0x7b, 0xff, 0x7d]),
  Buffer.from('{"__proto__":{"text":"x"}}'),
  Buffer.from('{"text":"a","text":"b"}'),
  Buffer.from('{"text":"\\ud800"}'),
  Buffer.from(`{"text":${"[".repeat(5_000)}${"]".repeat(5_000)}}`),
  Buffer.from(`{"a":${'{"a":'.repeat(200)}1${"}".repeat(201)}`),
  Buffer.from('{"text":"x","timeout_seconds":1e400}'),
  Buffer.from('{"text":"x","timeout_seconds":-0}'),
  Buffer.from(`{"text":"${"\\u0000".repeat(100)}"}`),
  Buffer.from(`{"text":"${"x".repeat(300_000)}"}`),
  Buffer.alloc(1_100_000, 0x20),
];

function hostile(request: FuzzRequest): Arbitrary<FuzzRequest> {
  const kind = "hostile";
  const headers = fc
    .constantFrom(...HOSTILE_HEADERS)
    .map((more) => ({ ...request, kind, headers: { ...request.headers, ...more } }) as const);
  const methods = fc
    .constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND")
    .map((method) => ({ ...request, kind, method }) as const);
  const bodies = fc
    .oneof(
      fc.constantFrom(...HOSTILE_BODIES),
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    )
    .map(
      (body) =>
        ({ ...request, kind, method: request.method === "GET" ? "POST" : request.method, body }) as const,
    );
  const paths = fc
    .oneof(
      fc.webPath(),
      fc.constantFrom(
        "/%",
        "/%zz",
        "/sessions/%c0%af/send",
        "/hooks/..%2f..%2fetc",
        "//",
        "/./sessions",
        "/sessions;x",
      ),
    )
    .map((path) => ({ ...request, kind, path: path.startsWith("/") ? path : `/${path}` }) as const);
  return fc.oneof(headers, methods, bodies, paths);
}
