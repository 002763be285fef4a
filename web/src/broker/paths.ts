/** Who hears what, as a tree of the segments of paths. Pure. */
import { parsePattern } from "../../../src/core/routing/pattern.ts";
import { SubscriptionTrie } from "../../../src/core/routing/trie.ts";

/** Somebody who hears a path. */
export interface Hearer {
  readonly agent?: string;
  readonly session?: string;
  readonly how: "address" | "asked" | "declared" | "listening";
  /** Of listeners. */
  readonly count?: number;
}

export interface HeardPath {
  readonly path: string;
  readonly hearer: Hearer;
}

export interface PathNode {
  /** The whole path down to here. */
  readonly path: string;
  readonly segment: string;
  readonly hearers: readonly Hearer[];
  readonly below: readonly PathNode[];
}

interface Growing {
  readonly path: string;
  readonly segment: string;
  readonly hearers: Hearer[];
  readonly below: Map<string, Growing>;
}

/** In order of name; hearers by agent. */
export function treeOf(heard: readonly HeardPath[]): readonly PathNode[] {
  const root: Growing = { path: "", segment: "", hearers: [], below: new Map() };
  for (const { path, hearer } of heard) {
    let node = root;
    for (const segment of path.split("/")) {
      const next = node.below.get(segment) ?? {
        path: node.path === "" ? segment : `${node.path}/${segment}`,
        segment,
        hearers: [],
        below: new Map(),
      };
      node.below.set(segment, next);
      node = next;
    }
    node.hearers.push(hearer);
  }
  return grown(root).below;
}

function grown({ path, segment, hearers, below }: Growing): PathNode {
  return {
    path,
    segment,
    hearers: hearers.toSorted((a, b) => compare(nameOf(a), nameOf(b))),
    below: [...below.values()].toSorted((a, b) => compare(a.segment, b.segment)).map(grown),
  };
}

function nameOf({ agent = "", session = "", how }: Hearer): string {
  return `${agent} ${session} ${how}`;
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Every word must be in the path or in the name of one who hears it. */
export function filtered(heard: readonly HeardPath[], filter: string): readonly HeardPath[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  if (words.length === 0) return heard;
  return heard.filter(({ path, hearer }) => {
    const text = `${path} ${hearer.agent ?? ""} ${hearer.session ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

interface TreeLine {
  /** Unlike that of any other line. */
  readonly key: string;
  readonly level: number;
  readonly place: number;
  readonly of: number;
  readonly parent?: string;
}
export interface PathLine extends TreeLine {
  readonly kind: "path";
  readonly node: PathNode;
  /** Undefined if nothing is below it. */
  readonly isOpen?: boolean;
  /** The agent whose own address it is. */
  readonly own?: string;
}
export interface HearerLine extends TreeLine {
  readonly kind: "hearer";
  readonly hearer: Hearer;
}
export type Line = PathLine | HearerLine;

/** The lines that are seen, from top to bottom. */
export function linesOf(tree: readonly PathNode[], isOpen: (path: string) => boolean): readonly Line[] {
  const lines: Line[] = [];
  const add = (
    nodes: readonly PathNode[],
    level: number,
    parent: PathNode | undefined,
    parentKey?: string,
  ) => {
    const hearers = parent === undefined ? [] : hearersBelow(parent);
    const of = hearers.length + nodes.length;
    const under = parentKey === undefined ? {} : { parent: parentKey };
    for (const [index, hearer] of hearers.entries())
      lines.push({
        kind: "hearer",
        key: `${parentKey} ${index}`,
        level,
        place: index + 1,
        of,
        hearer,
        ...under,
      });
    for (const [index, node] of nodes.entries()) {
      const key = `/${node.path}`;
      const place = hearers.length + index + 1;
      const isLeaf = node.below.length === 0 && hearersBelow(node).length === 0;
      const open = !isLeaf && isOpen(node.path);
      const own = node.hearers.find(({ how }) => how === "address")?.agent;
      lines.push({
        ...{ kind: "path", key, level, place, of, node },
        ...(isLeaf ? {} : { isOpen: open }),
        ...(own === undefined ? {} : { own }),
        ...under,
      });
      if (open) add(node.below, level + 1, node, key);
    }
  };
  add(tree, 1, undefined);
  return lines;
}

/** An agent's own address needs no line below it: the line of the path says so. */
function hearersBelow({ hearers }: PathNode): readonly Hearer[] {
  return hearers.filter(({ how }) => how !== "address");
}

/** Paths seen once are seen again: most senders write to the same few. */
const MOST_REMEMBERED = 5_000;

/** Which nodes of the tree a message counts for: a path that is heard by what matches it, one above by what is below it. */
export class PathMatcher {
  readonly #trie = new SubscriptionTrie<string>();
  readonly #remembered = new Map<string, readonly string[]>();

  constructor(tree: readonly PathNode[]) {
    const add = (node: PathNode): void => {
      this.#hear(node.hearers.length > 0 ? node.path : `${node.path}/**`, node.path);
      for (const one of node.below) add(one);
    };
    for (const node of tree) add(node);
  }

  nodesOf(path: string): readonly string[] {
    const known = this.#remembered.get(path);
    if (known !== undefined) return known;
    if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
    const found = this.#match(path);
    this.#remembered.set(path, found);
    return found;
  }

  #match(path: string): readonly string[] {
    try {
      return [...this.#trie.match(parsePattern(path))];
    } catch {
      return [];
    }
  }

  /** Some node may be no pattern, such as one above two “**”. */
  #hear(pattern: string, node: string): void {
    try {
      this.#trie.add(parsePattern(pattern), node);
    } catch {
      // It counts nothing.
    }
  }
}
