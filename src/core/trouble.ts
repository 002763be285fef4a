import type { BellhopError, ErrorCode } from "./errors.ts";
import type { Instant } from "./message.ts";

/** Something that keeps Bellhop from its work for as long as it lasts: said by `status`, not only to who runs into it. */
export interface Trouble {
  readonly code: ErrorCode;
  readonly since: Instant;
  readonly message: string;
  readonly next: string;
}

export function troubleFrom({ code, message, next }: BellhopError, since: Instant): Trouble {
  return { code, since, message, next };
}
