import { createHash, randomBytes, randomInt, randomUUID } from "node:crypto";
import type { Digest } from "../ports/digest.ts";
import type { Ids } from "../ports/ids.ts";

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
