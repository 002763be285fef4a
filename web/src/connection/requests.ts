/** What the page asks for over HTTP. Every failure is a typed error with a way on, never an exception. */
import type { ErrorDetail } from "../../../src/core/errors.ts";
import { TEXT } from "../strings.ts";
import { storedKey } from "./key.ts";

export type Told = Pick<ErrorDetail, "code" | "message" | "next">;
export type Answer<Body> =
  | { readonly kind: "done"; readonly body: Body }
  | { readonly kind: "refused"; readonly error: Told; readonly status: number };

export interface Asked {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: object;
  /** Some answers wait for what becomes of a message. */
  readonly withinMs?: number;
}

/** A stop asks its program for five seconds first. */
const ANSWERED_WITHIN_MS = 30_000;

export async function ask<Body>({
  method,
  path,
  // A POST is JSON, also when its path says it all.
  body = method === "POST" ? {} : undefined,
  withinMs = ANSWERED_WITHIN_MS,
}: Asked): Promise<Answer<Body>> {
  try {
    const response = await fetch(path, {
      method,
      signal: AbortSignal.timeout(withinMs),
      headers: {
        "x-bellhop-key": storedKey() ?? "",
        ...(method === "GET" || method === "DELETE" ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (response.ok) return { kind: "done", body: answer as Body };
    const { error } = answer as { readonly error: Told };
    return { kind: "refused", error, status: response.status };
  } catch {
    return { kind: "refused", error: { code: "daemon.unreachable", ...TEXT.unreachable }, status: 0 };
  }
}

/** One segment of a path. */
export const segment = encodeURIComponent;
