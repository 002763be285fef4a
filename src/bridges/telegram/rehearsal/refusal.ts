/** An answer of the Bot API that says no, with the server's own words. */
export interface Refusal {
  readonly ok: false;
  readonly error_code: number;
  readonly description: string;
  readonly parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number };
}

export class RefusedCall extends Error {
  override readonly name = "RefusedCall";
  readonly refusal: Refusal;

  constructor(errorCode: number, description: string, parameters?: Refusal["parameters"]) {
    super(description);
    this.refusal = {
      ok: false,
      error_code: errorCode,
      description,
      ...(parameters === undefined ? {} : { parameters }),
    };
  }
}

export function badRequest(why: string): RefusedCall {
  return new RefusedCall(400, `Bad Request: ${why}`);
}

export function tooManyRequests(retryAfterSeconds: number): RefusedCall {
  return new RefusedCall(429, `Too Many Requests: retry after ${retryAfterSeconds}`, {
    retry_after: retryAfterSeconds,
  });
}

/** A refusal, an answer that is no JSON, one that is lost although the call was done, or none at all. */
export type PlannedTrouble = RefusedCall | "garbage" | "lost" | "silence";
