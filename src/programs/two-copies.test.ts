import { describe, expect, it } from "vitest";
import type { ProcessInfo } from "../ports/processes.ts";
import { PROGRAMS } from "./index.ts";
import { ProfileRegistry } from "./profile-registry.ts";

const run = (pid: number, line: string, more: Partial<ProcessInfo> = {}): ProcessInfo => ({
  pid,
  parentPid: 1,
  startedAt: String(pid),
  argv: line.split(" "),
  command: "",
  group: pid,
  isStopped: false,
  foreground: false,
  ...more,
});

const SHELL = run(1, "-zsh", { parentPid: 0 });
const found = (...tree: readonly ProcessInfo[]) =>
  new ProfileRegistry(PROGRAMS, []).recognise([SHELL, ...tree]).map(({ process }) => process.pid);

describe("two copies of a program in one terminal", () => {
  it("are two: the one in front first, then the one that was suspended under it", () => {
    const first = run(10, "claude", { isStopped: true });
    expect(found(first, run(20, "claude", { foreground: true }))).toEqual([20, 10]);
    expect(found(first)).toEqual([10]);
  });

  it("are not what merely runs in the background and looks like it", () => {
    expect(found(run(10, "claude"), run(20, "claude", { foreground: true }))).toEqual([20]);
  });

  it("are one where they are one job, or one runs under the other", () => {
    const front = { foreground: true };
    expect(found(run(20, "claude", front), run(21, "claude", { group: 20, ...front }))).toEqual([20]);
    const wrapper = run(20, "node /usr/lib/node_modules/.bin/codex", front);
    const stoppedChild = run(21, "codex", { parentPid: 20, isStopped: true });
    expect(found(wrapper, stoppedChild)).toEqual([20]);
  });
});
