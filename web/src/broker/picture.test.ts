import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Talk } from "../../../src/wire/shapes/broker.ts";
import { DEAD_LETTERS, OTHERS } from "./parties.ts";
import { type Frame, foldTalks, pictureOf } from "./picture.ts";

const FRAME: Frame = { width: 700, height: 500, margin: 150, mostNodes: 20, mostEdges: 40 };
const sum = (talks: readonly { readonly messages: number }[]) =>
  talks.reduce((all, { messages }) => all + messages, 0);

const party = fc.oneof(
  fc.integer({ min: 0, max: 60 }).map((number) => `agent/worker-${number}`),
  fc.constantFrom("person/dev", "slack", "bellhop", DEAD_LETTERS),
);
const talks: fc.Arbitrary<readonly Talk[]> = fc.uniqueArray(
  fc.record({ from: party, to: party, messages: fc.integer({ min: 1, max: 10_000 }) }),
  { selector: ({ from, to }) => `${from} ${to}`, maxLength: 200 },
);

describe("the picture", () => {
  it("has every message once: in a line, or among those that are not drawn", () => {
    fc.assert(
      fc.property(talks, (given) => {
        const { edges, left } = pictureOf(given, FRAME);
        expect(sum(edges) + left.messages).toBe(sum(given));
      }),
    );
  });

  it("has at most as many nodes and lines as fit, each node once, and a node at both ends of each line", () => {
    fc.assert(
      fc.property(talks, (given) => {
        const { nodes, edges } = pictureOf(given, FRAME);
        const parties = nodes.map(({ party: one }) => one);
        expect(parties.length).toBeLessThanOrEqual(FRAME.mostNodes);
        expect(new Set(parties).size).toBe(parties.length);
        expect(edges.length).toBeLessThanOrEqual(FRAME.mostEdges);
        for (const { from, to } of edges) expect(parties).toEqual(expect.arrayContaining([from, to]));
        const all = new Set(given.flatMap(({ from, to }) => [from, to])).size;
        expect(nodes.reduce((count, node) => count + node.parties, 0)).toBe(all);
      }),
    );
  });

  it("is the same for the same numbers, in whatever order they come", () => {
    fc.assert(
      fc.property(talks, (given) => {
        expect(pictureOf(given.toReversed(), FRAME)).toEqual(pictureOf(given, FRAME));
      }),
    );
  });

  it("keeps everybody within the frame and apart from each other, and draws nothing that is no number", () => {
    fc.assert(
      fc.property(talks, (given) => {
        const { nodes, edges, width, height } = pictureOf(given, FRAME);
        for (const { x, y, radius, label } of nodes) {
          expect(x - radius).toBeGreaterThanOrEqual(0);
          expect(x + radius).toBeLessThanOrEqual(width);
          expect(y - radius).toBeGreaterThanOrEqual(0);
          expect(y + radius).toBeLessThanOrEqual(height);
          expect(label.x).toBeGreaterThan(0);
          expect(label.x).toBeLessThan(width);
          expect(label.y).toBeGreaterThan(0);
          expect(label.y).toBeLessThan(height);
        }
        for (const [index, a] of nodes.entries())
          for (const b of nodes.slice(index + 1))
            expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(a.radius + b.radius);
        for (const { line, arrow } of edges) expect(`${line}${arrow}`).toMatch(/^[MQLZ\d.,\s-]+$/u);
      }),
    );
  });

  it("moves nobody because somebody writes more", () => {
    const before: readonly Talk[] = [
      { from: "agent/a", to: "agent/b", messages: 3 },
      { from: "person/dev", to: "agent/c", messages: 1 },
    ];
    const after = before.map((talk) => ({ ...talk, messages: talk.messages * 9 + 1 }));
    const places = (given: readonly Talk[]) =>
      pictureOf(given, FRAME).nodes.map(({ party: one, x, y }) => ({ one, x, y }));
    expect(places(after)).toEqual(places(before));
  });

  it("has the person first, then agents by name, dead letters last", () => {
    const { nodes } = pictureOf(
      [
        { from: "agent/b", to: DEAD_LETTERS, messages: 1 },
        { from: "person/dev", to: "agent/a", messages: 1 },
        { from: "slack", to: "agent/a", messages: 1 },
      ],
      FRAME,
    );
    expect(nodes.map(({ party: one }) => one)).toEqual([
      "person/dev",
      "agent/a",
      "agent/b",
      "slack",
      DEAD_LETTERS,
    ]);
  });

  it("draws a thicker line for more messages, and an answer apart from its question", () => {
    const { edges } = pictureOf(
      [
        { from: "agent/a", to: "agent/b", messages: 90 },
        { from: "agent/b", to: "agent/a", messages: 10 },
      ],
      FRAME,
    );
    const [thick, thin] = edges;
    expect(thick?.messages).toBe(90);
    expect(thick?.width).toBeGreaterThan(thin?.width ?? 0);
    expect(Math.abs((thick?.middle.y ?? 0) - (thin?.middle.y ?? 0))).toBeGreaterThan(20);
  });

  it("is empty without messages, and stands alone with somebody who only writes to themselves", () => {
    expect(pictureOf([], FRAME)).toMatchObject({ nodes: [], edges: [] });
    const { nodes, edges } = pictureOf([{ from: "agent/a", to: "agent/a", messages: 2 }], FRAME);
    expect(nodes).toMatchObject([{ x: 350, y: 250, sent: 2, received: 2 }]);
    expect(edges).toHaveLength(1);
  });
});

it("folds those who write and get the least into one, without losing a message", () => {
  const few: readonly Talk[] = [
    { from: "agent/a", to: "agent/b", messages: 9 },
    { from: "agent/c", to: "agent/a", messages: 2 },
    { from: "agent/d", to: "agent/c", messages: 1 },
  ];
  expect(foldTalks(few, 4).talks).toEqual(few);
  expect(foldTalks(few, 3)).toEqual({
    talks: [
      { from: "agent/a", to: "agent/b", messages: 9 },
      { from: OTHERS, to: "agent/a", messages: 2 },
      { from: OTHERS, to: OTHERS, messages: 1 },
    ],
    sizes: new Map([[OTHERS, 2]]),
  });
});
