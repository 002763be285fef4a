import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GateExpectation, GateRefusal } from "../../../ports/terminal.ts";
import { gateRefusals, type HostScene } from "./gate.ts";

const scene = fc.record({
  dead: fc.boolean(),
  programPid: fc.constantFrom(7, 8),
  command: fc.constantFrom("claude", "bash"),
  alternate: fc.boolean(),
  cursor: fc.record({ x: fc.integer({ min: 0, max: 1 }), y: fc.constant(3), visible: fc.boolean() }),
  quietMs: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 0, max: 4_000 })),
  passthrough: fc.boolean(),
  title: fc.constant(""),
  rows: fc.constantFrom(
    () => ["", "working…"],
    () => ["", ""],
  ),
}) satisfies fc.Arbitrary<HostScene>;

/** What must hold; everything except the process is optional. */
const expectation = fc.record(
  {
    panePid: fc.constant(7),
    command: fc.constant("claude"),
    alternate: fc.boolean(),
    cursorHidden: fc.boolean(),
    cursor: fc.constant({ x: 0, y: 3 }),
    sign: fc.constant({ in: "row", y: 1, text: "working…" } as const),
    quietForMs: fc.constant(2_000),
    keyboard: fc.constant("may-be-taken" as const),
  },
  { requiredKeys: ["panePid"] },
) satisfies fc.Arbitrary<GateExpectation>;

const RIGHT: HostScene = {
  dead: false,
  programPid: 7,
  command: "claude",
  alternate: true,
  cursor: { x: 0, y: 3, visible: true },
  quietMs: 2_000,
  passthrough: false,
  title: "a title",
  rows: () => ["", "· working… 3s"],
};
const ALL: GateExpectation = {
  panePid: 7,
  command: "claude",
  alternate: true,
  cursorHidden: false,
  cursor: { x: 0, y: 3 },
  sign: { in: "row", y: 1, text: "working…" },
  quietForMs: 2_000,
};

describe("the final check of a hosted terminal", () => {
  it("is open when everything is as it was read", () => {
    expect(gateRefusals(ALL, RIGHT)).toEqual([]);
  });

  it.each<readonly [GateRefusal, Partial<HostScene>]>([
    ["dead", { dead: true }],
    ["attached", { passthrough: true }],
    ["other-process", { programPid: 8 }],
    ["other-command", { command: "bash" }],
    ["screen-kind", { alternate: false }],
    ["screen-kind", { cursor: { x: 0, y: 3, visible: false } }],
    ["cursor-moved", { cursor: { x: 1, y: 3, visible: true } }],
    ["cursor-moved", { cursor: { x: 0, y: 4, visible: true } }],
    ["sign-gone", { rows: () => ["", ""] }],
    ["sign-gone", { rows: () => ["working…", "working…"] }],
    ["typing", { quietMs: 1_999.9 }],
    ["typing", { quietMs: 0 }],
  ])("refuses as %s for one difference: %o", (because, change) => {
    expect(gateRefusals(ALL, { ...RIGHT, ...change })).toEqual([because]);
  });

  it("lets in what may not wait for the keyboard, once the keys are quiet", () => {
    const urgent: GateExpectation = { ...ALL, keyboard: "may-be-taken" };
    expect(gateRefusals(urgent, { ...RIGHT, passthrough: true })).toEqual([]);
    expect(gateRefusals(urgent, { ...RIGHT, passthrough: true, quietMs: 0 })).toEqual(["typing"]);
  });

  it("never opens for more than was asked: an open gate means that every single demand holds", () => {
    fc.assert(
      fc.property(expectation, scene, (asked, found) => {
        const open = gateRefusals(asked, found).length === 0;
        const holds =
          !found.dead &&
          (!found.passthrough || asked.keyboard === "may-be-taken") &&
          found.programPid === asked.panePid &&
          (asked.command ?? found.command) === found.command &&
          (asked.alternate ?? found.alternate) === found.alternate &&
          (asked.cursorHidden ?? !found.cursor.visible) === !found.cursor.visible &&
          (asked.cursor?.x ?? found.cursor.x) === found.cursor.x &&
          (asked.sign === undefined || found.rows()[1] === asked.sign.text) &&
          found.quietMs >= (asked.quietForMs ?? 0);
        expect(open).toBe(holds);
      }),
      { numRuns: 5_000 },
    );
  });
});
