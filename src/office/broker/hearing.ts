/**
 * Who hears what: every subscription, page by page, and who listens now. The use-cases ask it; the board tells readers
 * when to ask again. It changes nothing.
 */
import { present } from "../../core/present.ts";
import type { StoreReader, Subscription } from "../../ports/store.ts";
import type { Board } from "../../wire/shapes/board.ts";
import type { EverySubscription, HeardPattern, ShownListener } from "../../wire/shapes/broker.ts";
import type { RequestOf } from "../../wire/verbs/index.ts";
import type { Ground } from "../presence/ground.ts";

const PAGE = 500;
/** Mailboxes, in one answer. */
export const MOST_LISTENED = 1_000;

type Listened = Omit<ShownListener, "owner">;

export class Hearing {
  readonly #ground: Ground;
  readonly #heard: () => readonly Listened[];
  #changes = 0;

  constructor(ground: Ground, heard: () => readonly Listened[]) {
    this.#ground = ground;
    this.#heard = heard;
  }

  /** Somebody hears something else now. */
  changed(): void {
    this.#changes += 1;
  }

  now(): NonNullable<Board["broker"]> {
    return { changes: this.#changes };
  }

  all({ after, limit = PAGE }: RequestOf<"sub_all">): EverySubscription {
    const { read } = this.#ground.context.store;
    const found = read.subscriptionsAfter(after === undefined ? undefined : subscriptionAt(after), limit);
    const last = found.length < limit ? undefined : found.at(-1);
    return {
      subscriptions: found.flatMap((one) => shown(one, read)),
      ...(last === undefined ? {} : { next: placeOf(last) }),
      ...present({ listeners: after === undefined ? this.#listeners() : undefined }),
    };
  }

  #listeners(): readonly ShownListener[] {
    const { directory } = this.#ground;
    return this.#heard()
      .map((one) => ({ ...one, owner: directory.ownerOf(one.mailbox) }))
      .toSorted((a, b) => countOf(b) - countOf(a) || (a.mailbox < b.mailbox ? -1 : 1))
      .slice(0, MOST_LISTENED);
  }
}

function countOf({ hearing, consuming }: ShownListener): number {
  return hearing + consuming;
}

/** The session of a removed agent may be gone before its subscriptions are. */
function shown(
  { owner, pattern, addedAt, origin }: Subscription,
  read: StoreReader,
): readonly HeardPattern[] {
  if (owner.kind === "agent") return [{ agent: owner.agent, pattern, addedAt, origin }];
  const session = read.session(owner.sessionId);
  if (session === undefined) return [];
  return [{ agent: session.agent, session: session.name ?? session.id, pattern, addedAt, origin }];
}

/** Neither names nor ids have spaces; a pattern may. Any text is a place in the order of keys. */
function placeOf({ owner, pattern }: Subscription): string {
  return owner.kind === "agent" ? `${owner.agent}  ${pattern}` : ` ${owner.sessionId} ${pattern}`;
}

function subscriptionAt(place: string): Subscription {
  const [agent = "", sessionId = "", ...words] = place.split(" ");
  return {
    owner: sessionId === "" ? { kind: "agent", agent } : { kind: "session", sessionId },
    pattern: words.join(" "),
    addedAt: 0,
    origin: "asked",
  };
}
