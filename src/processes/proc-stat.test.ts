import { describe, expect, it } from "vitest";
import { isForeground, parseProcStat } from "./proc-stat.ts";

const line = (name: string) =>
  `4242 (${name}) S 4000 4242 4000 34817 4242 4194304 100 0 0 0 1 2 0 0 20 0 1 0 987654 1000 50 18446744073709551615 0`;

describe("a line of /proc/<pid>/stat", () => {
  it("gives parent, groups and start", () => {
    expect(parseProcStat(line("node"))).toEqual({
      pid: 4242,
      command: "node",
      state: "S",
      parentPid: 4000,
      group: 4242,
      terminal: 34817,
      foregroundGroup: 4242,
      startTicks: "987654",
    });
  });

  it("survives a name with spaces and parentheses", () => {
    expect(parseProcStat(line("a) (b) S 1 2"))).toMatchObject({ command: "a) (b) S 1 2", parentPid: 4000 });
  });

  it("is refused when it is cut short or something else", () => {
    expect(parseProcStat("4242 (node) S 4000")).toBeUndefined();
    expect(parseProcStat("")).toBeUndefined();
  });

  it("says foreground only for a process with a terminal", () => {
    expect(isForeground({ group: 7, foregroundGroup: 7 })).toBe(true);
    expect(isForeground({ group: 7, foregroundGroup: 8 })).toBe(false);
    expect(isForeground({ group: 7, foregroundGroup: -1 })).toBeUndefined();
  });
});
