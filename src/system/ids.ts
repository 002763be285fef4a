import { hash, randomBytes, randomFillSync, randomUUID } from "node:crypto";
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

/**
 * The database finds messages by their ids. Wholly random ones would rewrite a page anywhere in its indexes for each
 * message, more of them the more messages there are. So those of the same moment begin alike, and go into few pages; at the
 * pace of people, each begins differently, and can be named by its first characters.
 */
const MOMENT_MS = 20;
const SHARED = { hexDigits: 3, characters: 2 };
let moment = { endsAt: 0, hexDigits: "", characters: "" };

function thisMoment(): typeof moment {
  const now = performance.now();
  if (now < moment.endsAt) return moment;
  const hexDigits = randomUUID().slice(0, SHARED.hexDigits);
  moment = { endsAt: now + MOMENT_MS, hexDigits, characters: randomCharacters(SHARED.characters) };
  return moment;
}

export const randomIds: Ids = {
  message: () => thisMoment().hexDigits + randomUUID().slice(SHARED.hexDigits),
  draft: () => randomUUID(),
  session: () => randomBytes(4).toString("hex"),
  secret: (bytes) => randomBytes(bytes).toString("base64url"),
  shortId: () => randomCharacters(SHORT_ID_LENGTH),
  messageShortId: () => thisMoment().characters + randomCharacters(SHORT_ID_LENGTH - SHARED.characters),
};

export const sha256: Digest = (text) => hash("sha256", text, "hex");

/** The same screen gives the same digest: text, cursor, and the program in front. */
export function screenDigest(screen: Screen): string {
  let shown = "";
  for (const { text } of screen.lines) shown += `${text}\n`;
  return sha256(`${shown}${screen.cursor.x},${screen.cursor.y},${screen.command}`);
}
