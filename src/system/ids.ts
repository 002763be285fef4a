import { createHash, randomBytes, randomInt, randomUUID } from "node:crypto";
import type { Screen } from "../core/readiness/screen.ts";
import type { Digest, Ids } from "../ports/ids.ts";

const LETTERS_AND_DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789";
const SHORT_ID_LENGTH = 6;

export const randomIds: Ids = {
  message: () => randomUUID(),
  draft: () => randomUUID(),
  session: () => randomBytes(4).toString("hex"),
  shortId: () =>
    Array.from({ length: SHORT_ID_LENGTH }, () =>
      LETTERS_AND_DIGITS.charAt(randomInt(LETTERS_AND_DIGITS.length)),
    ).join(""),
};

export const sha256: Digest = (text) => createHash("sha256").update(text, "utf8").digest("hex");

/** The same screen gives the same digest: text, cursor, and the program in front. */
export function screenDigest(screen: Screen): string {
  const hash = createHash("sha256");
  for (const line of screen.lines) hash.update(line.text).update("\n");
  return hash.update(`${screen.cursor.x},${screen.cursor.y},${screen.command}`).digest("hex");
}
