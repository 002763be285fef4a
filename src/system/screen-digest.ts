import { createHash } from "node:crypto";
import type { Screen } from "../core/readiness/screen.ts";

/** The same screen gives the same digest: text, cursor and what runs in front. */
export function screenDigest(screen: Screen): string {
  const hash = createHash("sha256");
  for (const line of screen.lines) hash.update(line.text).update("\n");
  return hash.update(`${screen.cursor.x},${screen.cursor.y},${screen.command}`).digest("hex");
}
