/**
 * Where everybody stands and which lines are drawn, from who wrote to whom how often. Pure, and the same for the same
 * numbers: everybody on a circle in order of kind and name, so that nobody moves because somebody writes.
 */
import type { Talk } from "../../../src/wire/shapes/broker.ts";
import { kindOf, nameOf, OTHERS, type PartyKind } from "./parties.ts";

export interface Frame {
  readonly width: number;
  /** Of a picture with few nodes; one with many is as high as it is wide. */
  readonly height: number;
  /** Room for names around the circle. */
  readonly margin: number;
  /** Those who write and get the least are drawn as one. */
  readonly mostNodes: number;
  readonly mostEdges: number;
}

export interface Node {
  readonly party: string;
  readonly kind: PartyKind;
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly sent: number;
  readonly received: number;
  /** How many it stands for. */
  readonly parties: number;
  readonly label: {
    readonly x: number;
    readonly y: number;
    readonly anchor: "start" | "middle" | "end";
    /** In degrees. */
    readonly turn: number;
  };
}

export interface Edge extends Talk {
  /** A path of SVG, from the rim of one to the rim of the other. */
  readonly line: string;
  readonly arrow: string;
  readonly width: number;
  /** Where its number stands. */
  readonly middle: Point;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly Node[];
  /** In order of name, so that those that stay are not drawn anew. */
  readonly edges: readonly Edge[];
  /** Lines that are not drawn. */
  readonly left: { readonly edges: number; readonly messages: number };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Placed extends Point {
  readonly radius: number;
}

const KINDS: readonly PartyKind[] = ["person", "agent", "other", "outside", "others", "dead-letters"];
const SMALLEST = 6;
const GROWTH = 10;
const THINNEST = 1.25;
const THICKEST = 9;
const ARROW = 5;
const LABEL_GAP = 8;
/** From here on names stand like rays, so that they do not lie on each other. */
const MANY = 15;
const RAY_MARGIN = 130;

export function pictureOf(talks: readonly Talk[], frame: Frame): Picture {
  const folded = foldTalks(talks, frame.mostNodes);
  const shown = folded.talks.toSorted(byWeight);
  const drawn = shown.slice(0, frame.mostEdges);
  const left = shown.slice(frame.mostEdges);
  const parties = new Set(folded.talks.flatMap(({ from, to }) => [from, to])).size;
  const size = { width: frame.width, height: parties < MANY ? frame.height : frame.width };
  const nodes = nodesOf(folded.talks, folded.sizes, { ...frame, ...size });
  const places = new Map(nodes.map((node) => [node.party, node]));
  // Lines of the many others would make all lines between two look thin.
  const most = drawn.find((talk) => !isFolded(talk))?.messages ?? drawn[0]?.messages ?? 1;
  const centre = { x: size.width / 2, y: size.height / 2 };
  return {
    ...size,
    nodes,
    edges: drawn.toSorted(byName).flatMap((talk) => {
      const [from, to] = [places.get(talk.from), places.get(talk.to)];
      return from === undefined || to === undefined ? [] : [edgeOf(talk, from, to, centre, most)];
    }),
    left: { edges: left.length, messages: sum(left) },
  };
}

export function isFolded({ from, to }: Pick<Talk, "from" | "to">): boolean {
  return from === OTHERS || to === OTHERS;
}

interface Folded {
  readonly talks: readonly Talk[];
  /** How many parties each stands for, if not one. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** The busiest keep their names; the rest become one. Nothing is lost: the sum stays the same. */
export function foldTalks(talks: readonly Talk[], mostNodes: number): Folded {
  const weights = new Map<string, number>();
  for (const { from, to, messages } of talks)
    for (const party of new Set([from, to])) weights.set(party, (weights.get(party) ?? 0) + messages);
  const ranked = [...weights].toSorted(([a, weight], [b, other]) => other - weight || (a < b ? -1 : 1));
  if (ranked.length <= mostNodes) return { talks: merged(talks), sizes: new Map() };
  const kept = new Set(ranked.slice(0, Math.max(0, mostNodes - 1)).map(([party]) => party));
  const drawnAs = (party: string) => (kept.has(party) ? party : OTHERS);
  return {
    talks: merged(
      talks.map(({ from, to, messages }) => ({ from: drawnAs(from), to: drawnAs(to), messages })),
    ),
    sizes: new Map([[OTHERS, ranked.length - kept.size]]),
  };
}

function merged(talks: readonly Talk[]): readonly Talk[] {
  const counts = new Map<string, Map<string, number>>();
  for (const { from, to, messages } of talks) {
    const heard = counts.get(from) ?? new Map<string, number>();
    counts.set(from, heard.set(to, (heard.get(to) ?? 0) + messages));
  }
  return [...counts].flatMap(([from, heard]) => [...heard].map(([to, messages]) => ({ from, to, messages })));
}

export function byWeight(a: Talk, b: Talk): number {
  return b.messages - a.messages || byName(a, b);
}

function byName(a: Talk, b: Talk): number {
  return compare(a.from, b.from) || compare(a.to, b.to);
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function nodesOf(talks: readonly Talk[], sizes: Folded["sizes"], frame: Frame): readonly Node[] {
  const totals = new Map<string, { sent: number; received: number }>();
  const of = (party: string) => {
    const known = totals.get(party) ?? { sent: 0, received: 0 };
    totals.set(party, known);
    return known;
  };
  for (const { from, to, messages } of talks) {
    of(from).sent += messages;
    of(to).received += messages;
  }
  const parties = [...totals.keys()].toSorted(
    (a, b) => KINDS.indexOf(kindOf(a)) - KINDS.indexOf(kindOf(b)) || compare(nameOf(a), nameOf(b)),
  );
  const busiest = Math.max(
    1,
    ...[...totals].map(([party, { sent, received }]) => (party === OTHERS ? 0 : sent + received)),
  );
  return parties.map((party, index): Node => {
    const { sent, received } = of(party);
    const share = Math.min(1, (sent + received) / busiest);
    const radius = SMALLEST + (parties.length < MANY ? GROWTH : GROWTH / 3) * Math.sqrt(share);
    return {
      party,
      kind: kindOf(party),
      sent,
      received,
      parties: sizes.get(party) ?? 1,
      radius: rounded(radius),
      ...placed(index, parties.length, radius, frame),
    };
  });
}

function placed(
  index: number,
  count: number,
  radius: number,
  { width, height, margin }: Frame,
): Pick<Node, "x" | "y" | "label"> {
  // Alone in the middle; two side by side; more from the top on, clockwise.
  const turn = (count === 2 ? -Math.PI : -Math.PI / 2) + (2 * Math.PI * index) / count;
  if (count >= MANY) return ray(turn, radius, width, margin);
  const reach = (half: number, room: number) => (count === 1 ? 0 : Math.max(0, half - room));
  const [cosine, sine] = [Math.cos(turn), Math.sin(turn)];
  const x = width / 2 + cosine * reach(width / 2, margin);
  const y = height / 2 + sine * reach(height / 2, SMALLEST + GROWTH + 3 * LABEL_GAP);
  const isBeside = count > 1 && Math.abs(cosine) > 0.25;
  const away = radius + LABEL_GAP;
  return {
    x: rounded(x),
    y: rounded(y),
    label: {
      x: rounded(isBeside ? x + Math.sign(cosine) * away : x),
      y: rounded(isBeside ? y : y + (sine > 0 || count === 1 ? 1 : -1) * (away + 4)),
      anchor: isBeside ? (cosine > 0 ? "start" : "end") : "middle",
      turn: 0,
    },
  };
}

function ray(turn: number, radius: number, width: number, margin: number): Pick<Node, "x" | "y" | "label"> {
  const [cosine, sine] = [Math.cos(turn), Math.sin(turn)];
  const at = (distance: number) => ({
    x: rounded(width / 2 + cosine * distance),
    y: rounded(width / 2 + sine * distance),
  });
  const reach = width / 2 - Math.min(margin, RAY_MARGIN);
  const isLeft = cosine < -0.001;
  const degrees = (turn * 180) / Math.PI;
  return {
    ...at(reach),
    label: {
      ...at(reach + radius + LABEL_GAP),
      anchor: isLeft ? "end" : "start",
      turn: rounded(isLeft ? degrees + 180 : degrees),
    },
  };
}

function edgeOf(talk: Talk, from: Placed, to: Placed, centre: Point, most: number): Edge {
  const width = rounded(THINNEST + (THICKEST - THINNEST) * Math.sqrt(Math.min(1, talk.messages / most)));
  const ends = talk.from === talk.to ? loop(from, centre) : bow(from, to, centre);
  const { start, bend, tip } = ends;
  return {
    ...talk,
    width,
    line: `M${at(start)}Q${at(bend)} ${at(tip)}`,
    arrow: arrowAt(tip, bend, width),
    middle: {
      x: rounded((start.x + 2 * bend.x + tip.x) / 4),
      y: rounded((start.y + 2 * bend.y + tip.y) / 4),
    },
  };
}

interface Bow {
  readonly start: Point;
  readonly bend: Point;
  readonly tip: Point;
}

/** Bent to the left of its way and towards the centre, so that an answer does not lie on its question. */
function bow(from: Placed, to: Placed, centre: Point): Bow {
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  const [alongX, alongY] = [to.x - from.x, to.y - from.y];
  const bend = {
    x: middle.x + (centre.x - middle.x) * 0.35 + alongY * 0.14,
    y: middle.y + (centre.y - middle.y) * 0.35 - alongX * 0.14,
  };
  return {
    start: towards(from, bend, from.radius + 1),
    bend,
    tip: towards(to, bend, to.radius + ARROW + 2),
  };
}

/** What somebody writes to themselves: out towards the centre, and back. */
function loop(node: Placed, centre: Point): Bow {
  const length = Math.hypot(centre.x - node.x, centre.y - node.y);
  const inwards =
    length < 1 ? { x: 0, y: -1 } : { x: (centre.x - node.x) / length, y: (centre.y - node.y) / length };
  const side = { x: -inwards.y, y: inwards.x };
  const point = (inward: number, sideways: number): Point => ({
    x: node.x + inwards.x * inward + side.x * sideways,
    y: node.y + inwards.y * inward + side.y * sideways,
  });
  return {
    start: point(node.radius, 5),
    bend: point(node.radius + 52, 0),
    tip: point(node.radius + ARROW, -8),
  };
}

function arrowAt(tip: Point, from: Point, width: number): string {
  const [x, y] = [tip.x - from.x, tip.y - from.y];
  const length = Math.hypot(x, y) || 1;
  const [aheadX, aheadY] = [x / length, y / length];
  const half = ARROW * 0.7 + width / 2;
  const point = (ahead: number, aside: number): string =>
    at({ x: tip.x + aheadX * ahead - aheadY * aside, y: tip.y + aheadY * ahead + aheadX * aside });
  return `M${point(ARROW, 0)}L${point(-ARROW, half)}L${point(-ARROW, -half)}Z`;
}

function towards(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return {
    x: from.x + ((to.x - from.x) / length) * distance,
    y: from.y + ((to.y - from.y) / length) * distance,
  };
}

function at({ x, y }: Point): string {
  return `${rounded(x)},${rounded(y)}`;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function sum(talks: readonly Talk[]): number {
  return talks.reduce((all, { messages }) => all + messages, 0);
}
