/**
 * A tree of path segments whose nodes are numbers: columns and one hash table. An object and a map for each node took
 * half as much memory again (`npm run bench -- --only matching`).
 */

export type NodeId = number;
export const ROOT: NodeId = 0;
export const NONE = -1;

/** The columns of a node in `#links`, side by side: one lookup touches one cache line. */
const PARENT = 0;
const FIRST_CHILD = 1;
const NEXT = 2;
const PREVIOUS = 3;
const HASH = 4;
const COLUMNS = 5;

const FIRST_NODES = 16;
const GROWTH = 1.5;
/** Above this load, probing takes long. */
const FULLEST = 0.75;

export class SegmentTree<Value> {
  /** Segment and value of each node, side by side. */
  readonly #cells: (string | Value | undefined)[] = ["", undefined];
  #links = new Int32Array(FIRST_NODES * COLUMNS).fill(NONE);
  /** Open addressing, linear probing: node ids by the hash of parent and segment; the root is in no slot. */
  #slots = new Int32Array(FIRST_NODES * 2).fill(NONE);
  #released: NodeId = NONE;
  #live = 1;

  /** The number of nodes, including the root. */
  get size(): number {
    return this.#live;
  }

  segmentOf(node: NodeId): string {
    return this.#cells[node * 2] as string;
  }

  valueOf(node: NodeId): Value | undefined {
    return this.#cells[node * 2 + 1] as Value | undefined;
  }

  setValue(node: NodeId, value: Value | undefined): void {
    this.#cells[node * 2 + 1] = value;
  }

  parentOf(node: NodeId): NodeId {
    return this.#link(node, PARENT);
  }

  firstChild(node: NodeId): NodeId {
    return this.#link(node, FIRST_CHILD);
  }

  nextSibling(node: NodeId): NodeId {
    return this.#link(node, NEXT);
  }

  child(parent: NodeId, segment: string): NodeId {
    return this.#slots[this.#slotOf(parent, segment, hashOf(parent, segment))] ?? NONE;
  }

  /** The child, created if there is none. */
  grow(parent: NodeId, segment: string): NodeId {
    const hash = hashOf(parent, segment);
    const found = this.#slots[this.#slotOf(parent, segment, hash)] ?? NONE;
    if (found !== NONE) return found;
    const node = this.#allocate(segment);
    const sibling = this.firstChild(parent);
    this.#set(node, PARENT, parent);
    this.#set(node, FIRST_CHILD, NONE);
    this.#set(node, NEXT, sibling);
    this.#set(node, PREVIOUS, NONE);
    this.#set(node, HASH, hash);
    if (sibling !== NONE) this.#set(sibling, PREVIOUS, node);
    this.#set(parent, FIRST_CHILD, node);
    if (this.#live > this.#slots.length * FULLEST) this.#rehash();
    this.#slots[this.#slotOf(parent, segment, hash)] = node;
    return node;
  }

  /** Removes a node without children; its number may be reused. */
  drop(node: NodeId): void {
    this.#vacate(this.#slotOf(this.parentOf(node), this.segmentOf(node), this.#link(node, HASH)));
    const [previous, next] = [this.#link(node, PREVIOUS), this.nextSibling(node)];
    if (previous === NONE) this.#set(this.parentOf(node), FIRST_CHILD, next);
    else this.#set(previous, NEXT, next);
    if (next !== NONE) this.#set(next, PREVIOUS, previous);
    this.#cells[node * 2] = "";
    this.setValue(node, undefined);
    this.#set(node, NEXT, this.#released);
    this.#released = node;
    this.#live -= 1;
  }

  #allocate(segment: string): NodeId {
    const own = flat(segment);
    this.#live += 1;
    if (this.#released !== NONE) {
      const node = this.#released;
      this.#released = this.nextSibling(node);
      this.#cells[node * 2] = own;
      return node;
    }
    const node = this.#cells.push(own, undefined) / 2 - 1;
    if ((node + 1) * COLUMNS > this.#links.length) {
      const larger = new Int32Array(Math.ceil((node + 1) * GROWTH) * COLUMNS);
      larger.set(this.#links);
      this.#links = larger;
    }
    return node;
  }

  /** The slot of the node, or the empty slot where it would go. */
  #slotOf(parent: NodeId, segment: string, hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const node = this.#slots[slot] ?? NONE;
      if (node === NONE) return slot;
      if (
        this.#link(node, HASH) === hash &&
        this.parentOf(node) === parent &&
        this.#cells[node * 2] === segment
      )
        return slot;
      slot = (slot + 1) & mask;
    }
  }

  /** Moves later entries up, but never before their own slot: a lookup must not meet a gap too early. */
  #vacate(emptied: number): void {
    const mask = this.#slots.length - 1;
    let gap = emptied;
    let slot = gap;
    for (;;) {
      slot = (slot + 1) & mask;
      const node = this.#slots[slot] ?? NONE;
      if (node === NONE) break;
      const own = this.#link(node, HASH) & mask;
      if (((slot - own) & mask) < ((slot - gap) & mask)) continue;
      this.#slots[gap] = node;
      gap = slot;
    }
    this.#slots[gap] = NONE;
  }

  #rehash(): void {
    const nodes = this.#slots.filter((node) => node !== NONE);
    this.#slots = new Int32Array(this.#slots.length * 2).fill(NONE);
    const mask = this.#slots.length - 1;
    for (const node of nodes) {
      let slot = this.#link(node, HASH) & mask;
      while (this.#slots[slot] !== NONE) slot = (slot + 1) & mask;
      this.#slots[slot] = node;
    }
  }

  #link(node: NodeId, column: number): number {
    return this.#links[node * COLUMNS + column] ?? NONE;
  }

  #set(node: NodeId, column: number, value: number): void {
    this.#links[node * COLUMNS + column] = value;
  }
}

/** FNV-1a over the parent's number and the segment, then mixed, because the low bits choose the slot. */
function hashOf(parent: NodeId, segment: string): number {
  let hash = Math.imul(parent ^ 0x811c9dc5, 0x01000193);
  for (let index = 0; index < segment.length; index += 1) {
    hash = Math.imul(hash ^ segment.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

/** Copies the text: what `split` returns may be a view that keeps the whole text alive. */
function flat(segment: string): string {
  return segment.split("").join("");
}
