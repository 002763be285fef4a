/**
 * Services that give their events no id. The same body within ten minutes is the same event, sent again because its
 * answer was lost; later it is another one: a script may say the same every night.
 */
import type { Instant } from "../../core/message.ts";
import type { Kept, OutsideInbox } from "../../ports/bridge.ts";

interface Recent {
  readonly digest: string;
  readonly at: Instant;
}

export const SAME_EVENT_MS = 600_000;
const KEY = "recent";
const MOST_RECENT = 100;

export class RecentBodies {
  #recent: readonly Recent[];

  constructor(inbox: OutsideInbox) {
    this.#recent = parsed(inbox.kept(KEY));
  }

  /** The event's id, and what must be written with it. */
  idOf(digest: string, now: Instant): { readonly id: string; readonly keep: Kept } {
    const known = this.#recent.find((one) => one.digest === digest && Math.abs(now - one.at) < SAME_EVENT_MS);
    if (known === undefined) {
      const others = this.#recent.filter((one) => one.digest !== digest).slice(1 - MOST_RECENT);
      this.#recent = [...others, { digest, at: now }];
    }
    const id = `${digest}/${known?.at ?? now}`;
    return { id, keep: { [KEY]: JSON.stringify(this.#recent.map((one) => [one.digest, one.at])) } };
  }
}

function parsed(text: string | undefined): readonly Recent[] {
  try {
    const rows: unknown = JSON.parse(text ?? "[]");
    if (!Array.isArray(rows)) return [];
    return rows.flatMap((row: unknown) => {
      const [digest, at]: unknown[] = Array.isArray(row) ? row : [];
      return typeof digest === "string" && typeof at === "number" ? [{ digest, at }] : [];
    });
  } catch {
    return [];
  }
}
