import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GateExpectation } from "../../../ports/terminal.ts";
import { gateFormat, quietForMs, quietSinceSeconds, readReport, reportFormat } from "./gate.ts";

const place = { windowId: "@3", now: 1_700_000_010_400 };

describe("the gate as a format", () => {
  it("always asks for a living pane that takes keys, alone, of the same process", () => {
    expect(gateFormat({ panePid: 42 }, place)).toBe(
      "#{&&:#{&&:#{&&:#{?pane_dead,0,1},#{?pane_in_mode,0,1}},#{?pane_synchronized,0,1}}," +
        "#{&&:#{?pane_input_off,0,1},#{==:#{pane_pid},42}}}",
    );
  });

  it("adds what is expected of the screen, and nothing else", () => {
    const format = gateFormat(
      { panePid: 42, command: "claude", alternate: true, cursorHidden: true, cursor: { x: 2, y: 37 } },
      place,
    );
    expect(format).toContain("#{==:#{pane_current_command},claude}");
    expect(format).toContain("#{?alternate_on,1,0}");
    expect(format).toContain("#{?cursor_flag,0,1}");
    expect(format).toContain("#{==:#{cursor_x}/#{cursor_y},2/37}");
    expect(format).not.toContain("session_activity");
    const plain = gateFormat({ panePid: 1, alternate: false, cursorHidden: false }, place);
    expect(plain).toContain("#{?alternate_on,0,1}");
    expect(plain).toContain("#{?cursor_flag,1,0}");
  });

  it("looks for a sign in its row, or in the title", () => {
    const inRow = { in: "row", y: 11, text: "esc to interrupt" } as const;
    expect(gateFormat({ panePid: 1, sign: inRow }, place)).toContain("#{==:#{C/r:esc to interrupt},12}");
    const inTitle = { in: "title", text: "⠂ a, b" } as const;
    expect(gateFormat({ panePid: 1, sign: inTitle }, place)).toContain("#{==:#{pane_title},⠂ a#, b}");
  });

  it("asks every session that holds the window for silence, as far as its clock can be believed", () => {
    const typedIn = "#{&&:#{e|>=:#{session_activity},1700000008},#{e|<=:#{session_activity},1700000016}}";
    expect(gateFormat({ panePid: 42, quietForMs: 2_000 }, place)).toContain(
      `#{==:#{?#{==:#{window_linked_sessions},1},#{?${typedIn},x,},` +
        `#{S:#{?${typedIn},#{W:#{?#{==:#{window_id},@3},x,}},}}},}`,
    );
  });

  it("cannot be broken out of by a program's name", () => {
    expect(gateFormat({ panePid: 1, command: "a,1}#{b" }, place)).toContain(
      "#{==:#{pane_current_command},a#,1#}##{b}",
    );
  });

  it("has as many closing as opening braces, whatever is asked", () => {
    const expectations = fc.record(
      {
        panePid: fc.nat(),
        command: fc.stringMatching(/^[a-z0-9.-]{1,12}$/),
        alternate: fc.boolean(),
        cursorHidden: fc.boolean(),
        cursor: fc.record({ x: fc.nat(300), y: fc.nat(100) }),
        quietForMs: fc.nat(10_000),
      },
      { requiredKeys: ["panePid"] },
    );
    fc.assert(
      fc.property(expectations, (expectation) => {
        const format = gateFormat(expectation as GateExpectation, place);
        expect(format.split("{").length).toBe(format.split("}").length);
      }),
    );
  });
});

describe("the silence", () => {
  it("is never taken as shorter than asked, though activity counts whole seconds", () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.nat(10_000), fc.nat(999), (quietForMs, agoMs, fraction) => {
        const now = 1_700_000_000_000 + fraction;
        const activity = Math.floor((now - agoMs) / 1000);
        const typing = activity >= quietSinceSeconds(now, quietForMs);
        if (agoMs < quietForMs) expect(typing).toBe(true);
        if (agoMs >= quietForMs + 1_000) expect(typing).toBe(false);
      }),
    );
  });
});

describe("a look", () => {
  it("tells of silence by the rule of the gate, and nothing about a time to come", () => {
    const times = fc.integer({ min: 1_600_000_000_000, max: 1_800_000_000_000 });
    const soon = fc.integer({ min: -3, max: 8 });
    fc.assert(
      fc.property(times, soon, fc.integer({ min: 0, max: 5_000 }), (now, agoSeconds, wantedMs) => {
        const activity = Math.floor(now / 1000) - agoSeconds;
        const quiet = quietForMs(now, activity);
        if (agoSeconds < 0) expect(quiet).toBeUndefined();
        else expect((quiet ?? 0) >= wantedMs).toBe(activity < quietSinceSeconds(now, wantedMs));
      }),
    );
    expect(quietForMs(1_700_000_000_000, undefined)).toBeUndefined();
  });
});

describe("the report of a gate that held", () => {
  const expectation: GateExpectation = {
    panePid: 42,
    command: "claude",
    alternate: true,
    cursorHidden: true,
    cursor: { x: 2, y: 37 },
    quietForMs: 2_000,
  };
  const line = (changes: Record<number, string> = {}) =>
    ["%1", "@3", "0", "0", "0", "0", "42", "1", "0", "2", "37", "", "1", "claude"]
      .map((field, index) => changes[index] ?? field)
      .join("/");
  const because = (changes: Record<number, string>) => readReport(line(changes), expectation, place);

  it("has one field for each name", () => {
    expect(reportFormat(expectation, place)).toMatch(
      /^#\{pane_id\}\/#\{window_id\}\/.*\/#\{\?.*\}\/1\/#\{pane_current_command\}$/,
    );
    expect(reportFormat({ panePid: 1 }, place)).toContain("#{cursor_y}//1/#{pane_current_command}");
    const sign = { in: "row", y: 2, text: "50% done" } as const;
    expect(reportFormat({ panePid: 1, sign }, place)).toContain("//#{==:#{C/r:50%% done},3}/#{pane");
  });

  it.each([
    ["dead", { 2: "1" }],
    ["mode", { 3: "1" }],
    ["synchronised", { 4: "1" }],
    ["input-off", { 5: "1" }],
    ["other-process", { 6: "43" }],
    ["screen-kind", { 7: "0" }],
    ["screen-kind", { 8: "1" }],
    ["cursor-moved", { 9: "3" }],
    ["cursor-moved", { 10: "36" }],
    ["typing", { 11: "xx" }],
    ["sign-gone", { 12: "0" }],
    ["other-command", { 13: "bash" }],
    ["other-command", { 13: "claude/x" }],
  ])("says %s", (reason, changes) => {
    expect(because(changes as Record<number, string>)).toEqual({ kind: "refused", because: [reason] });
  });

  it("names every reason at once", () => {
    expect(because({ 2: "1", 6: "9", 13: "sh" })).toEqual({
      kind: "refused",
      because: ["dead", "other-process", "other-command"],
    });
  });

  it("tells a moved pane from a refusal", () => {
    expect(because({ 1: "@9" })).toEqual({ kind: "moved", windowId: "@9" });
    expect(because({ 1: "@9", 3: "1" })).toEqual({ kind: "refused", because: ["mode"] });
  });

  it("knows a pane that is not there any more, and a report it does not understand", () => {
    expect(readReport("/////////////", expectation, place)).toEqual({ kind: "gone" });
    expect(readReport("what", expectation, place)).toEqual({ kind: "malformed" });
  });
});
