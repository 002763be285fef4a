/**
 * Ten thousand requests drawn from `/openapi.json` against the built daemon: it never fails, and every answer is one
 * that the description declares. The same seed draws the same requests.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { statusAnswer } from "../../src/wire/http/answers.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { expectDeclared, HttpDaemon } from "./http-daemon.ts";
import { type FuzzRequest, MADE, type OpenapiDocument, requestsFrom } from "./http-fuzz.ts";
import { WebStage } from "./web-stage.ts";

const SEED = 20_300_107;
const REQUESTS = 10_000;
const AT_ONCE = 16;

let bellhop: Bellhop;
let http: HttpDaemon;

beforeAll(async () => {
  bellhop = new Bellhop();
  await bellhop.start();
  http = await HttpDaemon.of(bellhop);
});
afterAll(async () => {
  http.close();
  await bellhop.dispose();
});

it("answers ten thousand requests as its description says, and never fails", async () => {
  const agents = Array.from({ length: 40 }, (_, index) => `agent-${index}`);
  const client = await bellhop.client();
  for (const name of agents) await client.call("agent_add", { name });
  const document = (await http.get("/openapi.json")).body as OpenapiDocument;
  const judge = judgeOf(document);
  const recipients = [...agents, ...agents.map((name) => `agent/${name}`)];
  const requests = fc.sample(requestsFrom(document, { recipients, token: http.token }), {
    numRuns: REQUESTS,
    seed: SEED,
  });
  // Generating them blocks this process for seconds: connections that the daemon closed by then must not be used again.
  http.close();
  const made = { messages: ["nothing"], reminders: ["nothing"] };
  const seen = new Map<string, number>();
  const faults: string[] = [];
  let next = 0;

  const work = async () => {
    for (let index = next++; index < requests.length && faults.length < 5; index = next++) {
      const drawn = requests[index] as FuzzRequest;
      const request = { ...drawn, path: withMade(drawn.path, made, index) };
      const fault = await send(request);
      if (fault !== undefined)
        faults.push(`#${index} ${request.kind} ${request.method} ${request.path}: ${fault}`);
    }
  };
  // What is about a browser, only that browser can ask.
  const web = await WebStage.of(bellhop);
  const browser = web.proof(await web.logIn());
  const shownBy = ({ kind, path, headers }: FuzzRequest): FuzzRequest["headers"] => {
    if (kind !== "right" || !path.startsWith("/web/push")) return headers;
    const { authorization: _token, ...rest } = headers as Record<string, string>;
    return { ...rest, ...browser };
  };
  const send = async (request: FuzzRequest): Promise<string | undefined> => {
    const { status, text } = await http.raw({
      ...request,
      headers: { ...shownBy(request), ...lengthOf(request) },
    });
    const key = `${request.kind} ${status}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    if (status >= 500 || status < 200) return `${status} ${text}`;
    if (request.method === "HEAD") return text === "" ? undefined : "a body after HEAD";
    // The dashboard's page is no part of the description.
    if (request.method === "GET" && request.path.split("?")[0] === "/" && status === 200)
      return text.startsWith("<!doctype html>") ? undefined : text;
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    remember(body, made);
    // A request that the description allows may name nobody, or no valid time; it is not malformed.
    if (request.kind === "right" && text.includes('"request.malformed"')) return `${status} ${text}`;
    return judge(request, status, body);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));

  expect(faults).toEqual([]);
  const total = (kind: string, statuses: RegExp) =>
    [...seen]
      .filter(([key]) => key.startsWith(kind) && statuses.test(key))
      .reduce((sum, [, count]) => sum + count, 0);
  expect(total("", /./)).toBe(REQUESTS);
  // The test would prove nothing if all requests were refused, or none.
  // Many name what is not there: a program to restart, a text to put back.
  expect(total("right", / 20\d$/)).toBeGreaterThan(REQUESTS / 8);
  expect(total("almost", / 400$/)).toBeGreaterThan(REQUESTS / 10);
  for (const status of [400, 401, 403, 404, 405, 409, 413, 415, 421, 429])
    expect([status, total("", new RegExp(` ${status}$`))]).toEqual([
      status,
      expect.toSatisfy((count) => count > 0),
    ]);
  const log = bellhop.log();
  expect(log).not.toContain('"level":50');
  expect((await http.read("/status", statusAnswer)).running).toBe(true);
});

/** Says what is wrong with an answer. */
function judgeOf(document: OpenapiDocument) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  ajv.addSchema({ $id: "https://bellhop.test/openapi.json", ...document });
  const checks = new Map<string, ValidateFunction>();
  const check = (pointer: string) => {
    const known =
      checks.get(pointer) ?? ajv.compile({ $ref: `https://bellhop.test/openapi.json#${pointer}` });
    checks.set(pointer, known);
    return known;
  };
  const escaped = (step: string) =>
    step.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D");

  return (request: FuzzRequest, status: number, body: unknown): string | undefined => {
    const [path, operation] = operationOf(document, request);
    if (operation === undefined) {
      const fits = check("/components/schemas/Error");
      return fits(body) ? undefined : `no error of ours: ${JSON.stringify(body)}`;
    }
    const response = operation.responses[status] as
      | { readonly $ref?: string; readonly content?: object }
      | undefined;
    if (response === undefined) return `${status} is not declared: ${JSON.stringify(body)}`;
    const place =
      response.$ref?.slice(1) ??
      `/paths/${escaped(path)}/${request.method.toLowerCase()}/responses/${status}`;
    if (response.$ref === undefined && response.content === undefined)
      return body === undefined ? undefined : `a body with ${status}`;
    const fits = check(`${place}/content/application~1json/schema`);
    if (!fits(body)) return `${status} ${JSON.stringify(fits.errors)} in ${JSON.stringify(body)}`;
    expectDeclared(request.method, path.replaceAll(/\{\w+\}/g, "x"), status, body);
    return undefined;
  };
}

function operationOf(document: OpenapiDocument, { method, path }: FuzzRequest) {
  const [bare = ""] = path.split("?");
  const found = Object.entries(document.paths).find(([template, methods]) => {
    // A path without parameters comes before one with.
    if (Object.hasOwn(document.paths, bare) && template !== bare) return false;
    const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]*")}$`);
    return pattern.test(bare) && methods[method.toLowerCase()] !== undefined && isDecodable(bare);
  });
  return [found?.[0] ?? "", found?.[1][method.toLowerCase()]] as const;
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Some methods send a body without its length. */
function lengthOf({ body }: FuzzRequest): Record<string, string> {
  return body === undefined ? {} : { "content-length": String(body.length) };
}

interface Made {
  readonly messages: string[];
  readonly reminders: string[];
}

function remember(body: unknown, { messages, reminders }: Made): void {
  const told = (body ?? {}) as { readonly short_id?: string; readonly reminder_id?: string };
  if (typeof told.short_id === "string") messages.push(told.short_id);
  if (typeof told.reminder_id === "string") reminders.push(told.reminder_id);
}

function withMade(path: string, { messages, reminders }: Made, index: number): string {
  return path
    .replace(encodeURIComponent(MADE.message), messages[index % messages.length] ?? "")
    .replace(encodeURIComponent(MADE.reminder), reminders[index % reminders.length] ?? "");
}
