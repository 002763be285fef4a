/** What every terminal must do, tmux or hosted. An adapter provides a harness; the tests are the same. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeAnnounce } from "./terminal-announce.ts";
import { describeGate } from "./terminal-gate.ts";
import { POLL, paste, sees, type TerminalHarness } from "./terminal-harness.ts";
import { describeRead } from "./terminal-read.ts";

export function describeTerminalContract(name: string, makeHarness: () => Promise<TerminalHarness>): void {
  describe(`${name}: the contract of a terminal`, () => {
    let harness: TerminalHarness;
    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(async () => {
      await harness.close();
    });

    describeRead(() => harness);
    describeGate(() => harness);

    it("is found by the very processes that the system says are alive", async () => {
      const { identity, panePid } = await harness.open();
      const { agentPid, agentStartedAt, serverPid, serverStartedAt } = identity;
      expect(identity.panePid).toBe(panePid);
      expect(await harness.processes.alive(agentPid, agentStartedAt)).toBe("alive");
      expect(await harness.processes.alive(serverPid, serverStartedAt)).toBe("alive");
    });

    it("says gone once the terminal is", async () => {
      const opened = await harness.open();
      await opened.destroy();
      await expect.poll(() => opened.terminal.read(), POLL).toEqual({ kind: "gone" });
      expect(await opened.terminal.gate({ panePid: opened.panePid }, [paste("never")])).toEqual({
        kind: "gone",
      });
      expect(await opened.terminal.announce("never")).toEqual({ kind: "gone" });
    });

    it("tells of a change on its screen, until told to stop", async () => {
      const opened = await harness.open();
      let changes = 0;
      const stop = opened.terminal.onChange(() => {
        changes += 1;
      });
      await expect
        .poll(async () => {
          await opened.show(["x"]);
          return changes;
        }, POLL)
        .toBeGreaterThan(0);
      stop();
      const before = changes;
      await opened.show(["marker"]);
      await sees(opened, (screen) => screen.lines.some((line) => line.text.includes("marker")));
      expect(changes).toBe(before);
    });

    describeAnnounce(() => harness);
  });
}
