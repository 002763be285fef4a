import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSuspended, type Job, type Jobs, standingOf, suspensionShown } from "./standing.ts";

const SHELL = 10;
const AGENT = 20;
const SCRIPT = 15;
const INNER = 25;
const TTY = "34816";

const job = (parentPid: number, change: Partial<Job> = {}): Job => ({
  startedAt: "then",
  parentPid,
  group: AGENT,
  foregroundGroup: AGENT,
  terminal: TTY,
  isStopped: false,
  ...change,
});

/** A shell, and the agent started from it. */
function seen(agent: Partial<Job> = {}, shell: Partial<Job> = {}, more: readonly [number, Job][] = []) {
  const jobs = new Map<number, Job>([
    [SHELL, job(1, { group: SHELL, ...shell })],
    [AGENT, job(SHELL, agent)],
    ...more,
  ]);
  return standingOf({ pid: AGENT, startedAt: "then" }, SHELL, jobsIn(jobs));
}

function jobsIn(jobs: ReadonlyMap<number, Job>): Jobs {
  return {
    of: (pid) => jobs.get(pid),
    under: (pid) => [...jobs.values()].filter(({ parentPid }) => parentPid === pid),
  };
}

describe("where a program stands at its terminal", () => {
  it("is in front as the foreground group", () => {
    expect(seen()).toBe("in-front");
  });

  it("is in front as the terminal's own process", () => {
    const own = job(1, { group: SHELL, foregroundGroup: SHELL });
    expect(standingOf({ pid: SHELL, startedAt: "then" }, SHELL, jobsIn(new Map([[SHELL, own]])))).toBe(
      "in-front",
    );
  });

  it("is in front behind a wrapper of its own job", () => {
    expect(seen({ group: SCRIPT, foregroundGroup: SCRIPT }, {}, [[SCRIPT, job(SHELL)]])).toBe("in-front");
  });

  it("is stopped with the program that it is only the wrapper of", () => {
    const inner = (change: Partial<Job>) => seen({}, {}, [[INNER, job(AGENT, change)]]);
    expect(inner({})).toBe("in-front");
    expect(inner({ isStopped: true })).toBe("stopped");
    expect(inner({ isStopped: true, readsTerminal: true })).toBe("stopped");
  });

  it("is in front also with a stopped helper, which reads no keys", () => {
    const helper = (change: Partial<Job>) =>
      seen({}, {}, [[INNER, job(AGENT, { isStopped: true, ...change })]]);
    expect(helper({ readsTerminal: false })).toBe("in-front");
    expect(helper({ group: INNER })).toBe("in-front");
    expect(helper({ terminal: undefined })).toBe("in-front");
  });

  it("is stopped, whoever is in front", () => {
    expect(seen({ isStopped: true })).toBe("stopped");
    expect(seen({ isStopped: true, foregroundGroup: SHELL })).toBe("stopped");
  });

  it("is behind while it runs and another has the keyboard", () => {
    expect(seen({ foregroundGroup: SHELL })).toBe("behind");
  });

  it("is gone when its number is another's, or nobody's", () => {
    expect(seen({ startedAt: "later" })).toBe("gone");
    expect(standingOf({ pid: AGENT, startedAt: "then" }, SHELL, jobsIn(new Map()))).toBe("gone");
  });

  it("cannot be told when its terminal has nobody", () => {
    expect(seen({}, { terminal: undefined })).toBe("unknown");
  });

  describe("in a session without a terminal, as sandboxes start one", () => {
    const detached = { terminal: undefined, reads: TTY, foregroundGroup: -1, parentPid: SCRIPT };
    const waiting = (change: Partial<Job> = {}): readonly [number, Job][] => [
      [SCRIPT, job(SHELL, { group: SCRIPT, foregroundGroup: SCRIPT, ...change })],
    ];

    it("is in front when who waits for it is", () => {
      expect(seen(detached, {}, waiting())).toBe("in-front");
    });

    it("is suspended with who waits for it, or by itself", () => {
      expect(seen(detached, {}, waiting({ foregroundGroup: SHELL }))).toBe("behind");
      expect(seen(detached, {}, waiting({ isStopped: true }))).toBe("stopped");
      expect(seen({ ...detached, isStopped: true }, {}, waiting())).toBe("stopped");
    });

    it("cannot be told when its input is another's, or unknown", () => {
      expect(seen({ ...detached, reads: "34899" }, {}, waiting())).toBe("unknown");
      expect(seen({ ...detached, reads: undefined }, {}, waiting())).toBe("unknown");
    });

    it("is behind when nobody at this terminal waits for it", () => {
      expect(seen({ ...detached, parentPid: 1 })).toBe("behind");
    });
  });

  describe("in a terminal of its own inside of it", () => {
    const inner = { terminal: "34899", parentPid: SCRIPT };
    const script = (change: Partial<Job> = {}): readonly [number, Job][] => [
      [SCRIPT, job(SHELL, { group: SCRIPT, foregroundGroup: SCRIPT, ...change })],
    ];

    it("is in front when it is there and its keeper is here", () => {
      expect(seen(inner, {}, script())).toBe("in-front");
    });

    it("is suspended with its keeper", () => {
      expect(seen(inner, {}, script({ isStopped: true }))).toBe("stopped");
      expect(seen(inner, {}, script({ foregroundGroup: SHELL }))).toBe("behind");
      expect(seen({ ...inner, foregroundGroup: SHELL }, {}, script())).toBe("behind");
    });

    it("is behind when nothing leads from it to this terminal", () => {
      expect(seen({ ...inner, parentPid: 1 }, {}, script())).toBe("behind");
    });
  });

  it("is in front only where it runs, leads its own terminal, and that is this one", () => {
    const anyJob = fc.record<Job>({
      startedAt: fc.constantFrom("then", "later"),
      parentPid: fc.constantFrom(1, SHELL, SCRIPT, AGENT),
      group: fc.constantFrom(SHELL, SCRIPT, AGENT),
      foregroundGroup: fc.constantFrom(SHELL, SCRIPT, AGENT, -1),
      terminal: fc.constantFrom(TTY, "34899", undefined),
      isStopped: fc.boolean(),
    });
    fc.assert(
      fc.property(anyJob, anyJob, anyJob, (shell, script, agent) => {
        const jobs = new Map([
          [SHELL, shell],
          [SCRIPT, script],
          [AGENT, agent],
        ]);
        const standing = standingOf({ pid: AGENT, startedAt: "then" }, SHELL, jobsIn(jobs));
        if (standing !== "in-front") return;
        expect(agent).toMatchObject({ startedAt: "then", isStopped: false });
        expect(agent.group).toBe(agent.foregroundGroup);
        const keeper = [agent, script, shell].find(
          (each) =>
            each.terminal === shell.terminal && each.group === each.foregroundGroup && !each.isStopped,
        );
        expect(keeper).toBeDefined();
      }),
    );
  });

  it("is told with what to do about it", () => {
    for (const standing of ["stopped", "behind"] as const) {
      expect(isSuspended(standing)).toBe(true);
      expect(suspensionShown(standing)).toContain("bring it back with fg");
    }
    for (const standing of ["in-front", "gone", "unknown"] as const)
      expect(isSuspended(standing)).toBe(false);
  });
});
