import { describe, expect, it } from "vitest";
import type { GateExpectation } from "../../../ports/terminal.ts";
import { gateCommands, readVerdict } from "./gate-step.ts";
import { planStrokes } from "./strokes.ts";

const expectation: GateExpectation = { panePid: 42 };
const place = { windowId: "@3", now: 1_700_000_000_000 };
const plan = planStrokes([{ kind: "paste", text: "hi", bracketed: false }], {
  pane: "%4",
  name: "n",
  folder: "/f",
});
const ok = (...lines: string[]) => ({ ok: true, lines });
const answered = (...blocks: { ok: boolean; lines: string[] }[]) =>
  readVerdict({ kind: "answered", blocks }, expectation, place, plan.prepare.length);
const HELD = "HELD %4/@3/0/1/0/0/42/0/1/0/0//1/claude";

describe("check and keys in one list", () => {
  it("types nothing outside the check, and drops the buffers when it holds", () => {
    const commands = gateCommands("%4", expectation, place, plan);
    expect(commands.startsWith('set-buffer -b n-0 -- "hi" ; if-shell -F -t %4 "#{&&:')).toBe(true);
    expect(commands).toContain('"paste-buffer -r -d -b n-0 -t %4 \\073 display-message -p SENT"');
    expect(commands).toContain('"delete-buffer -b n-0 \\073 display-message -p -t %4 \\042HELD ');
    expect(commands).not.toContain("\n");
  });
});

describe("the verdict", () => {
  it("is sent only when tmux says so", () => {
    expect(answered(ok(), ok(), ok(), ok("SENT"))).toEqual({ kind: "sent" });
    expect(answered(ok(), ok())).toMatchObject({ kind: "unknown" });
  });

  it("is a refusal with its reasons when the check held", () => {
    expect(answered(ok(), ok(), ok(), ok(HELD))).toEqual({ kind: "refused", because: ["mode"] });
    expect(answered(ok(), ok(), ok(), ok("HELD what"))).toEqual({
      kind: "refused",
      because: ["unavailable"],
    });
  });

  it("is unknown when keys failed half way, and a plain failure when they were never reached", () => {
    expect(answered(ok(), ok(), { ok: false, lines: ["no buffer n-0"] })).toEqual({
      kind: "unknown",
      cause: "no buffer n-0",
    });
    expect(() => answered({ ok: false, lines: ["No space left"] })).toThrow(
      "nothing was typed: No space left",
    );
  });

  it.each(["late", "lost", "garbled"] as const)("is unknown when the answer is %s", (kind) => {
    expect(readVerdict({ kind, cause: "why" }, expectation, place, 1)).toEqual({
      kind: "unknown",
      cause: "why",
    });
  });

  it("is a refusal when nothing was written", () => {
    expect(readVerdict({ kind: "unsent", cause: "why" }, expectation, place, 1)).toEqual({
      kind: "refused",
      because: ["unavailable"],
    });
  });
});
