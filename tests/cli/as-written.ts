/** Pages show examples, with names and ids that no machine has: what runs here, as the pages write it. */
import { userInfo } from "node:os";

/** As the pages write them; the tests replace them by the real ones. */
export const WRITTEN = { user: "dev", message: "m7k2q9", session: "08bc57cf", reminder: "k3x9a2" };

export function asWritten(prompt: string, session: string): string {
  return prompt
    .replaceAll(/#[a-z0-9]{6}\]/g, `#${WRITTEN.message}]`)
    .replaceAll(session, WRITTEN.session)
    .replaceAll(`[message from: ${userInfo().username} `, `[message from: ${WRITTEN.user} `);
}

/** The fields of a value and their types; of a list, those of its first item. */
export function shapeOf(value: unknown): object {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (value === null || typeof value !== "object") return { kind: typeof value };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
}
