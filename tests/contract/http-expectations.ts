/** What every test expects of an HTTP answer. */
import { expect } from "vitest";
import { errorAnswer } from "../../src/wire/http/answers.ts";
import { type HttpOperation, OPERATIONS, type OperationName } from "../../src/wire/http/operations.ts";
import { type Answer, type HttpHarness, type RawAnswer, TOKEN } from "./http-harness.ts";

export const SEND = "/sessions/api/send";

/** As `SAMPLE_HOLD` is answered. */
export const SHOWN_HOLD = {
  reason: "busy",
  since: "2024-01-15T10:00:00.000Z",
  release: "when its turn ends",
};

/** The body, if the operation declares it for this status. */
export function declared(name: OperationName, answer: Answer): unknown {
  const { answers }: HttpOperation = OPERATIONS[name];
  const body: unknown = JSON.parse(answer.text);
  const schemas = answers[answer.status]?.schemas ?? [];
  expect(schemas.some((schema) => schema.safeParse(body).success)).toBe(true);
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(answer.headers["cache-control"]).toBe("no-store");
  return body;
}

export function refused(answer: Answer, status: number, code: string): { message: string; next: string } {
  expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
  const { error } = errorAnswer.parse(JSON.parse(answer.text));
  expect(error.code).toBe(code);
  expect(error.next).not.toBe("");
  return error;
}

/** Refused in our format, without internal details, and nothing was carried out. */
export function expectTurnedAway(http: HttpHarness, { status, text }: RawAnswer, wanted: number): void {
  expect([status, text]).toEqual([wanted, expect.any(String)]);
  const body = text.slice(text.indexOf("\r\n\r\n") + 4);
  expect(errorAnswer.parse(JSON.parse(body)).error.next).not.toBe("");
  expect(text).not.toContain(TOKEN);
  expect(text).not.toMatch(/access-control|FST_|node_modules|stack/i);
  expect(http.script.asked).toEqual([]);
}
