import { describe, expect, it } from "vitest";
import { type Performed, perform, type Stage } from "../../../../tests/cli/command-stage.ts";
import { BellhopError } from "../../../core/errors.ts";

const stage: Stage = {
  answers: {
    spawn: async () => ({
      sessionId: "08bc57cf",
      agent: "login",
      terminal: { kind: "pty" },
      messageId: "11111111-2222-4333-8444-555555555555",
      shortId: "m7k2q9",
    }),
  },
};

describe("bellhop spawn", () => {
  it("starts Claude Code with the prompt, or the program behind --", async () => {
    const ran = await perform(["spawn", "implement it", "--name", "login"], stage);
    expect(ran.stdout).toContain('"login" runs as session 08bc57cf');
    expect(ran.asked).toMatchObject([
      { verb: "spawn", request: { prompt: "implement it", name: "login", command: ["claude"] } },
    ]);
    const other = await perform(["spawn", "review it", "--", "codex", "--model", "o3"], stage);
    expect(other.asked[0]?.request).toMatchObject({ command: ["codex", "--model", "o3"] });
  });

  describe("--wait for a child that shows nothing of its turn", () => {
    const waiting = (readiness: "idle" | "busy"): Stage => ({
      home: { socket: "/nowhere/bellhop.sock" },
      answers: {
        ...stage.answers,
        wait: async () => {
          throw new BellhopError("wait.timed_out", { message: "It is still delivered.", next: "Look." });
        },
        show: async () => ({ deliveries: [{ state: "delivered", receipts: [] }] }) as never,
        session: async () => ({ readiness }) as never,
      },
    });
    const waits = ({ asked }: Performed) => asked.filter(({ verb }) => verb === "wait");
    const WHY = "nothing has shown whether its turn has ended.";

    it("says why long before its time is over, waits on, and ends with 7", async () => {
      const ran = await perform(["spawn", "x", "--wait"], waiting("idle"));
      expect([ran.status, waits(ran).length]).toEqual([7, 2]);
      expect(waits(ran).map(({ request }) => request)).toMatchObject([
        { state: "read", timeoutMs: 90_000 },
        { state: "read", timeoutMs: 30 * 60_000 - 90_000 },
      ]);
      expect(ran.stderr.split(WHY)).toHaveLength(3);
      expect(ran.stderr).toContain("Still waiting.");
    });

    it("is over when its turn is, though nobody saw it open the file of a long prompt", async () => {
      const unopened = {
        state: "delivered",
        receipts: [
          {
            at: 1,
            state: "delivered",
            note: "its turn has ended, and nothing has shown that its file was opened",
          },
        ],
      };
      const idle = waiting("idle");
      const show = async () => ({ deliveries: [unopened] }) as never;
      const ran = await perform(["spawn", "x", "--wait", "--json"], {
        ...idle,
        answers: { ...idle.answers, show },
      });
      expect(ran.status).toBe(0);
      expect(JSON.parse(ran.stdout)).toMatchObject({ state: "delivered" });
    });

    it("says why at the end of a short wait, and to a program only then", async () => {
      const short = await perform(["spawn", "x", "--wait", "--wait-timeout", "5s"], waiting("idle"));
      expect([short.status, waits(short).length]).toEqual([7, 1]);
      expect(short.stderr).toContain(WHY);
      const json = await perform(["spawn", "x", "--wait", "--json"], waiting("idle"));
      expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "wait.timed_out" } });
      expect(json.stderr).toContain("nothing has shown");
    });

    it("says no such thing of one that works", async () => {
      const ran = await perform(["spawn", "x", "--wait"], waiting("busy"));
      expect([ran.status, ran.stderr.includes(WHY)]).toEqual([7, false]);
      expect(ran.stderr).toContain("It is still delivered.");
    });
  });

  it.each<[string, readonly string[], RegExp]>([
    [
      "a word for a time",
      ["--wait", "--wait-timeout", "soon"],
      /"soon" is not a length of time for --wait-timeout/,
    ],
    ["a time without a wait", ["--wait-timeout", "5s"], /--wait-timeout goes with --wait/],
  ])("refuses %s before it starts anything", async (_, options, message) => {
    const ran = await perform(["spawn", "x", ...options], stage);
    expect([ran.status, ran.asked]).toEqual([2, []]);
    expect(ran.stderr).toMatch(message);
  });
});
