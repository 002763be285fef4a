import { describe, expect, it } from "vitest";
import type { Standing } from "../core/readiness/standing.ts";
import { macosProcesses, macosStanding } from "./macos.ts";
import { parseEnvironment, parsePsTables, parseWorkingFolder, subtree } from "./ps-table.ts";

const NAMES = `
    1     0     1     -1 Ss   ??       Mon Nov 10 09:00:00 2025     launchd
  500     1   500    510 S    ttys001  Mon Nov 10 09:01:02 2025     zsh
  510   500   510    510 S+   ttys001  Mon Nov  3 09:01:03 2025     Some Agent
  511   510   511    510 T    ttys001  Mon Nov 10 09:01:04 2025     node
`;
const COMMAND_LINES = `
    1     0     1     -1 Ss   ??       Mon Nov 10 09:00:00 2025     /sbin/launchd
  500     1   500    510 S    ttys001  Mon Nov 10 09:01:02 2025     -zsh
  510   500   510    510 S+   ttys001  Mon Nov  3 09:01:03 2025     agent --resume  abc
  511   510   511    510 T    ttys001  Mon Nov 10 09:01:04 2025     node server.js
`;

describe("the tables of ps", () => {
  it("become processes with names, arguments and foreground", () => {
    expect(parsePsTables(NAMES, COMMAND_LINES)[2]).toEqual({
      pid: 510,
      parentPid: 500,
      startedAt: "Mon Nov 3 09:01:03 2025",
      argv: ["agent", "--resume", "abc"],
      command: "Some Agent",
      group: 510,
      isStopped: false,
      foreground: true,
    });
    expect(parsePsTables(NAMES, COMMAND_LINES)[0]).not.toHaveProperty("foreground");
  });

  it("give the tree under one process, parents first", () => {
    const all = parsePsTables(NAMES, COMMAND_LINES);
    expect(subtree(all, 500).map((each) => each.pid)).toEqual([500, 510, 511]);
    expect(subtree(all, 99)).toEqual([]);
  });
});

describe("lsof and ps -E", () => {
  it("name the working folder", () => {
    expect(parseWorkingFolder("p510\nfcwd\nn/Users/dev/my project\n")).toBe("/Users/dev/my project");
    expect(parseWorkingFolder("")).toBeUndefined();
  });

  it("give the named variables only", () => {
    const line = "agent --flag A=1 SECRET=x y z CLAUDE_CODE_SESSION_ID=abc-1 TERM=xterm";
    expect(parseEnvironment(line, ["CLAUDE_CODE_SESSION_ID", "TERM", "MISSING"])).toEqual({
      CLAUDE_CODE_SESSION_ID: "abc-1",
      TERM: "xterm",
    });
  });
});

describe("processes on macOS", () => {
  const answering = (answers: Record<string, string>, calls: string[][] = []) =>
    macosProcesses(async (program, argv) => {
      calls.push([program, ...argv]);
      const answer = Object.entries(answers).find(([key]) => argv.some((word) => word.includes(key)))?.[1];
      if (answer === undefined) throw Object.assign(new Error("exit 1"), { code: 1 });
      return answer;
    });

  it("share one pair of calls among trees asked for together", async () => {
    const calls: string[][] = [];
    const processes = answering({ "ucomm=": NAMES, "args=": COMMAND_LINES }, calls);
    const trees = await Promise.all([processes.tree(500), processes.tree(511)]);
    expect(trees.map((tree) => tree.length)).toEqual([3, 1]);
    expect(calls).toHaveLength(2);
  });

  it("say where an agent stands, at once too", async () => {
    const agent = (pid: number, startedAt: string) => ({ pid, startedAt });
    const answers = { "pid=": NAMES };
    const asked: readonly (readonly [ReturnType<typeof agent>, Standing])[] = [
      [agent(510, "Mon Nov 3 09:01:03 2025"), "in-front"],
      [agent(511, "Mon Nov 10 09:01:04 2025"), "stopped"],
      [agent(500, "Mon Nov 10 09:01:02 2025"), "behind"],
      [agent(1, "Mon Nov 10 09:00:00 2025"), "unknown"],
      [agent(510, "Mon Nov 3 09:01:04 2025"), "gone"],
    ];
    for (const [who, standing] of asked) {
      expect(await answering(answers).standing(who, 500)).toBe(standing);
      expect(macosStanding(() => NAMES)(who, 500)).toBe(standing);
    }
    const failing = macosProcesses(() => Promise.reject(new Error("timed out")));
    expect(await failing.standing(agent(510, "x"), 500)).toBe("unknown");
  });

  it("cannot tell when ps says nothing", async () => {
    await expect(answering({ "ucomm=": "", "args=": "" }).tree(500)).rejects.toThrow("no process at all");
  });

  it("tell the living, the ended and the unknown apart", async () => {
    const alive = answering({ "lstart=": "Mon Nov  3 09:01:03 2025\n" });
    expect(await alive.alive(510, "Mon Nov 3 09:01:03 2025")).toBe("alive");
    expect(await alive.alive(510, "Mon Nov 3 09:01:04 2025")).toBe("gone");
    expect(await alive.alive(510, "1763268000")).toBe("unknown");
    expect(await alive.identify(510)).toEqual({ pid: 510, startedAt: "Mon Nov 3 09:01:03 2025" });
    expect(await answering({}).alive(510, "x")).toBe("gone");
    expect(await answering({}).identify(510)).toBe("gone");
    const failing = macosProcesses(() => Promise.reject(new Error("timed out")));
    expect(await failing.alive(510, "x")).toBe("unknown");
  });
});
