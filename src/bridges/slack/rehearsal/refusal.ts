/** An answer with `ok: false`. */
export class CallRefusal extends Error {
  readonly code: string;
  /** Other fields of the answer. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, details: Readonly<Record<string, unknown>> = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

/** What happens to the next call of a method. */
export type PlannedTrouble =
  | CallRefusal
  /** HTTP 429. */
  | { readonly retryAfterSeconds: number }
  | { readonly status: number }
  /** It is done, but the connection ends without an answer. */
  | "lost"
  /** Nothing is done, and nothing is answered. */
  | "silence"
  | "garbage";
