import { createHash, randomBytes, randomFillSync, randomUUID } from "node:crypto";
import type { Screen } from "../core/readiness/screen.ts";
import type { Digest, Ids } from "../ports/ids.ts";

const LETTERS_AND_DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789";
const SHORT_ID_LENGTH = 6;
/** A byte below this gives each of them equally often. */
const FAIR_BYTES = 256 - (256 % LETTERS_AND_DIGITS.length);

/** Asking the system for each byte would cost more than everything else about an id. */
const pool = new Uint8Array(4_096);
let used = pool.length;

function randomCharacter(): string {
  for (;;) {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const byte = pool[used] ?? FAIR_BYTES;
    used += 1;
    if (byte < FAIR_BYTES) return LETTERS_AND_DIGITS.charAt(byte % LETTERS_AND_DIGITS.length);
  }
}

function randomCharacters(count: number): string {
  let text = "";
  while (text.length < count) text += randomCharacter();
  return text;
}

/** Messages of the same moment begin their short ids alike, so that they too go into few pages of their index. */
const MOMENT_MS = 20;
const SHARED_CHARACTERS = 2;
let moment = { endsAt: 0, beginning: "" };

function beginningNow(): string {
  const now = performance.now();
  if (now >= moment.endsAt)
    moment = { endsAt: now + MOMENT_MS, beginning: randomCharacters(SHARED_CHARACTERS) };
  return moment.beginning;
}

/**
 * A UUID of version 7: the millisecond first, then chance. The database finds messages by their ids: ids in order go to the
 * end of that index, and ids at random would rewrite a page anywhere in it for each message, more of them the more
 * messages there are.
 */
function orderedUuid(): string {
  const moment = Date.now().toString(16).padStart(12, "0");
  return `${moment.slice(0, 8)}-${moment.slice(8)}-7${randomUUID().slice(15)}`;
}

export const randomIds: Ids = {
  message: orderedUuid,
  draft: () => randomUUID(),
  session: () => randomBytes(4).toString("hex"),
  secret: (bytes) => randomBytes(bytes).toString("base64url"),
  shortId: () => randomCharacters(SHORT_ID_LENGTH),
  messageShortId: () => beginningNow() + randomCharacters(SHORT_ID_LENGTH - SHARED_CHARACTERS),
};

export const sha256: Digest = (text) => createHash("sha256").update(text, "utf8").digest("hex");

/** The same screen gives the same digest: text, cursor, and the program in front. */
export function screenDigest(screen: Screen): string {
  const hash = createHash("sha256");
  for (const line of screen.lines) hash.update(line.text).update("\n");
  return hash.update(`${screen.cursor.x},${screen.cursor.y},${screen.command}`).digest("hex");
}
