import fc from "fast-check";
import { assert, describe, expect, it } from "vitest";
import { NONE, type NodeId, ROOT, SegmentTree } from "./segment-tree.ts";

function childrenOf(tree: SegmentTree<string>, node: NodeId): readonly string[] {
  const found: string[] = [];
  for (let child = tree.firstChild(node); child !== NONE; child = tree.nextSibling(child)) {
    assert.equal(tree.parentOf(child), node);
    assert.equal(tree.child(node, tree.segmentOf(child)), child);
    found.push(tree.segmentOf(child));
  }
  return found.sort();
}

describe("SegmentTree", () => {
  it("gives the same child for the same segment, and others for others", () => {
    const tree = new SegmentTree<string>();
    const a = tree.grow(ROOT, "a");
    expect(tree.grow(ROOT, "a")).toBe(a);
    expect(tree.grow(a, "a")).not.toBe(a);
    expect(tree.child(ROOT, "b")).toBe(NONE);
    expect(tree.size).toBe(3);
  });

  it("uses a number again for another node", () => {
    const tree = new SegmentTree<string>();
    const a = tree.grow(ROOT, "a");
    tree.setValue(a, "of the first");
    tree.drop(a);
    expect(tree.child(ROOT, "a")).toBe(NONE);
    expect(tree.grow(ROOT, "b")).toBe(a);
    expect(tree.segmentOf(a)).toBe("b");
    expect(tree.valueOf(a)).toBeUndefined();
  });

  it("keeps every child findable while thousands come and go", () => {
    const tree = new SegmentTree<string>();
    const names = Array.from({ length: 5_000 }, (_, index) => `segment-${index}`);
    const nodes = new Map(names.map((name) => [name, tree.grow(ROOT, name)]));
    for (const [index, name] of names.entries()) {
      if (index % 3 !== 0) tree.drop(nodes.get(name) ?? NONE);
    }
    const kept = names.filter((_, index) => index % 3 === 0);
    expect(childrenOf(tree, ROOT)).toEqual(kept.toSorted());
    expect(tree.size).toBe(kept.length + 1);
    for (const name of names) tree.grow(ROOT, name);
    expect(childrenOf(tree, ROOT)).toEqual(names.toSorted());
  });

  it("holds what a map of sets would hold, whatever comes and goes", () => {
    const step = fc.record({ drop: fc.boolean(), parent: fc.nat(30), segment: fc.nat(40) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 50, maxLength: 300, size: "max" }), (steps) => {
        const tree = new SegmentTree<string>();
        const model = new Map<NodeId, Map<string, NodeId>>([[ROOT, new Map()]]);
        for (const { drop, parent: at, segment } of steps) {
          const parent = [...model.keys()][at % model.size] ?? ROOT;
          const children = model.get(parent) ?? new Map<string, NodeId>();
          if (!drop) {
            const node = tree.grow(parent, `s${segment}`);
            assert.equal(node, children.get(`s${segment}`) ?? node);
            children.set(`s${segment}`, node);
            if (!model.has(node)) model.set(node, new Map());
          } else if (parent !== ROOT && children.size === 0) {
            model.get(tree.parentOf(parent))?.delete(tree.segmentOf(parent));
            model.delete(parent);
            tree.drop(parent);
          }
        }
        for (const [node, children] of model) {
          assert.equal(childrenOf(tree, node).join(), [...children.keys()].sort().join());
        }
        expect(tree.size).toBe(model.size);
      }),
      { numRuns: 200 },
    );
  });
});
