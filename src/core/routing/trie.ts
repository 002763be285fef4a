/**
 * Who hears a path. Gives the same answer as `subscriptionMatches` for each subscription, but follows only the segments
 * that the path and the subscriptions share.
 */
import { hasWildcards, type Pattern } from "./pattern.ts";
import { NONE, type NodeId, ROOT, SegmentTree } from "./segment-tree.ts";
import { walkByPattern, walkPath } from "./trie-walk.ts";

/** The subscribers of a pattern, and how often each added it. */
class Several<Subscriber> extends Map<Subscriber, number> {}

/** How many nodes a match visited: tests limit it. */
export interface Tally {
  visited: number;
}

/** Subscribers are compared as keys of a `Map`: strings by value, objects by identity. */
export class SubscriptionTrie<Subscriber extends string | object> {
  /** Most patterns have one subscriber that added it once, which needs no collection. */
  readonly #tree = new SegmentTree<Subscriber | Several<Subscriber>>();
  #size = 0;

  /** The number of pairs of pattern and subscriber. */
  get size(): number {
    return this.#size;
  }

  /** What is added twice must be removed twice. */
  add({ segments }: Pattern, subscriber: Subscriber): void {
    let node = ROOT;
    for (const segment of segments) node = this.#tree.grow(node, segment);
    const held = this.#tree.valueOf(node);
    const times = timesHeld(held, subscriber);
    if (held === undefined) this.#tree.setValue(node, subscriber);
    else if (held instanceof Several) held.set(subscriber, times + 1);
    else this.#tree.setValue(node, new Several([[held, 1] as const]).set(subscriber, times + 1));
    if (times === 0) this.#size += 1;
  }

  /** Returns whether it existed. */
  remove({ segments }: Pattern, subscriber: Subscriber): boolean {
    let node = ROOT;
    for (const segment of segments) {
      node = this.#tree.child(node, segment);
      if (node === NONE) return false;
    }
    const held = this.#tree.valueOf(node);
    const times = timesHeld(held, subscriber);
    if (times === 0) return false;
    if (times > 1 && held instanceof Several) {
      held.set(subscriber, times - 1);
      return true;
    }
    this.#release(node, subscriber);
    return true;
  }

  /** Each subscriber once, however many of its patterns match. */
  match(path: Pattern, tally?: Tally): Set<Subscriber> {
    const found = new Set<Subscriber>();
    const collect = (node: NodeId): void => {
      const held = this.#tree.valueOf(node);
      if (held instanceof Several) for (const subscriber of held.keys()) found.add(subscriber);
      else if (held !== undefined) found.add(held);
    };
    let visited = walkPath(this.#tree, path.segments, collect);
    // As a pattern, a path without wildcards matches only its own text, which the first walk has found.
    if (hasWildcards(path)) visited += walkByPattern(this.#tree, path.segments, collect);
    if (tally !== undefined) tally.visited += visited;
    return found;
  }

  /** Removes the subscriber from the node, and every node that is no longer needed. */
  #release(node: NodeId, subscriber: Subscriber): void {
    this.#size -= 1;
    const held = this.#tree.valueOf(node);
    if (held instanceof Several && held.delete(subscriber) && held.size > 0) return;
    this.#tree.setValue(node, undefined);
    let empty = node;
    while (
      empty !== ROOT &&
      this.#tree.valueOf(empty) === undefined &&
      this.#tree.firstChild(empty) === NONE
    ) {
      const parent = this.#tree.parentOf(empty);
      this.#tree.drop(empty);
      empty = parent;
    }
  }
}

function timesHeld<Subscriber extends string | object>(
  held: Subscriber | Several<Subscriber> | undefined,
  subscriber: Subscriber,
): number {
  if (held instanceof Several) return held.get(subscriber) ?? 0;
  return held === subscriber ? 1 : 0;
}
