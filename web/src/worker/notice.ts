/** What a notification shows, and where a tap on it leads. Pure. Whatever arrives, something is shown: a browser that gets
 * notifications without showing them is cut off. */
import { NOTICES } from "../strings.ts";

export interface Notice {
  readonly title: string;
  readonly body: string;
  /** The next with the same tag takes its place. */
  readonly tag: string;
  /** The card that it is about; empty: none in particular. */
  readonly card: string;
}

const LONGEST = 100;

export function noticeOf(payload: unknown): Notice {
  const { id, agent, kind, count } = (payload ?? {}) as Readonly<Record<string, unknown>>;
  const name = typeof agent === "string" && agent !== "" ? agent.slice(0, LONGEST) : NOTICES.somebody;
  const about = typeof id === "string" ? id.slice(0, LONGEST) : "";
  const general = (title: string, tag: string): Notice => ({ title, body: NOTICES.tap, tag, card: "" });
  if (kind === "test") return { ...general(NOTICES.test, "test"), body: NOTICES.testBody };
  if (kind === "many") return general(NOTICES.many(typeof count === "number" ? count : 0), "many");
  if (kind === "often") return general(NOTICES.often(name), `often ${name}`);
  if (kind === "waiting") return general(NOTICES.waiting(name), `waiting ${name}`);
  if (typeof kind !== "string" || !Object.hasOwn(NOTICES.kinds, kind))
    return general(NOTICES.unknown, "unknown");
  const title = NOTICES.kinds[kind as keyof typeof NOTICES.kinds](name);
  return { title, body: NOTICES.tap, tag: about || kind, card: about };
}

/** The address that shows the card. */
export function addressFor(card: string): string {
  return card === "" ? "/" : `/?card=${encodeURIComponent(card)}`;
}
