/**
 * The two walks of a match. Each keeps the positions that it may have reached in the path as bits of one number, so it
 * visits a node at most once, whatever the wildcards: never more than one visit per stored segment.
 */
import { ANY, isWildcard, ONE } from "./pattern.ts";
import { NONE, type NodeId, ROOT, type SegmentTree } from "./segment-tree.ts";

/** Bit n: the first n segments are matched. A path has few enough segments (PATTERN_LIMITS) to fit into a number. */
type Positions = number;

const START: Positions = 1;

interface Walk {
  readonly tree: SegmentTree<unknown>;
  readonly segments: readonly string[];
  readonly end: Positions;
  readonly reached: (node: NodeId) => void;
  visited: number;
}

/** Reports every node whose pattern matches the path; returns the number of nodes visited. */
export function walkPath(
  tree: SegmentTree<unknown>,
  segments: readonly string[],
  reached: (node: NodeId) => void,
): number {
  const walk: Walk = { tree, segments, end: 1 << segments.length, reached, visited: 0 };
  followPath(walk, ROOT, START);
  return walk.visited;
}

function followPath(walk: Walk, node: NodeId, positions: Positions): void {
  const { tree, segments, end } = walk;
  walk.visited += 1;
  if ((positions & end) !== 0) walk.reached(node);
  if (tree.firstChild(node) === NONE) return;
  const open = positions & ~end;
  for (let left = open; left !== 0; ) {
    const segment = segmentAt(segments, left);
    const alike = left & positionsOf(segments, segment);
    left &= ~alike;
    const child = isWildcard(segment) ? NONE : tree.child(node, segment);
    if (child !== NONE) followPath(walk, child, alike << 1);
  }
  const one = open === 0 ? NONE : tree.child(node, ONE);
  if (one !== NONE) followPath(walk, one, open << 1);
  const any = tree.child(node, ANY);
  if (any !== NONE) followPath(walk, any, fromLowest(positions, end));
}

interface PatternWalk extends Walk {
  readonly ones: Positions;
  readonly anys: Positions;
}

/** Reports every node whose text, including wildcards, the pattern matches; returns the number of nodes visited. */
export function walkByPattern(
  tree: SegmentTree<unknown>,
  segments: readonly string[],
  reached: (node: NodeId) => void,
): number {
  const [ones, anys] = [positionsOf(segments, ONE), positionsOf(segments, ANY)];
  const walk: PatternWalk = { tree, segments, end: 1 << segments.length, reached, visited: 0, ones, anys };
  followPattern(walk, ROOT, withEmpty(anys, START));
  return walk.visited;
}

function followPattern(walk: PatternWalk, node: NodeId, positions: Positions): void {
  const { tree, segments, end, ones, anys } = walk;
  walk.visited += 1;
  if ((positions & end) !== 0) walk.reached(node);
  const open = positions & ~end;
  const literals = open & ~ones & ~anys;
  // Matched by any child: `*` is then complete, `**` may continue.
  const whatever = ((open & ones) << 1) | (open & anys);
  if (whatever !== 0) {
    for (let child = tree.firstChild(node); child !== NONE; child = tree.nextSibling(child)) {
      const named = literals === 0 ? 0 : literals & positionsOf(segments, tree.segmentOf(child));
      followPattern(walk, child, withEmpty(anys, whatever | (named << 1)));
    }
    return;
  }
  for (let left = literals; left !== 0; ) {
    const segment = segmentAt(segments, left);
    const alike = left & positionsOf(segments, segment);
    left &= ~alike;
    const child = tree.child(node, segment);
    if (child !== NONE) followPattern(walk, child, withEmpty(anys, alike << 1));
  }
}

/** A `**` may match nothing: a position before it is also a position after it. */
function withEmpty(anys: Positions, positions: Positions): Positions {
  const wider = positions | ((positions & anys) << 1);
  return wider === positions ? positions : withEmpty(anys, wider);
}

function positionsOf(segments: readonly string[], wanted: string): Positions {
  let positions = 0;
  for (let index = 0; index < segments.length; index += 1) {
    if (segments[index] === wanted) positions |= 1 << index;
  }
  return positions;
}

/** The segment at the lowest of these positions. */
function segmentAt(segments: readonly string[], positions: Positions): string {
  return segments[31 - Math.clz32(positions & -positions)] ?? "";
}

/** The lowest of these positions and all after it. */
function fromLowest(positions: Positions, end: Positions): Positions {
  return ((end << 1) - 1) & -(positions & -positions);
}
