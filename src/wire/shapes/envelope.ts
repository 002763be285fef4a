import type { ErrorDetail } from "../../core/errors.ts";

/** The answer to one line of JSON, snake_case on the wire; `payload` is opaque. */
export type ResponseEnvelope =
  | {
      readonly ok: true;
      readonly reqId?: string | number;
      readonly version: string;
      readonly result: unknown;
    }
  | {
      readonly ok: false;
      readonly reqId?: string | number;
      readonly version: string;
      readonly error: ErrorDetail;
    };
