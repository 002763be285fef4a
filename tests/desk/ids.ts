import type { Ids } from "../../src/ports/ids.ts";

/** Ids in the order of requests, so that a failure looks the same in every run. `tag`: of one desk among several. */
export function countingIds(tag = "0a"): Ids {
  let made = 0;
  const next = (base: number, length: number): string => {
    made += 1;
    return made.toString(base).padStart(length, "0");
  };
  const shortId = () => `m${next(36, 5)}`;
  return {
    message: () => `${next(16, 8)}-0000-4000-8000-0000000000${tag}`,
    draft: () => `${next(16, 8)}-0000-4000-8000-00000000000b`,
    shortId,
    messageShortId: shortId,
    session: () => `a${next(16, 7)}`,
    secret: (bytes) => `s${next(36, bytes - 1)}`,
  };
}
