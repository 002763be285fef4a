/** `bellhop bridge`, as built: what it shows. */
import { describe, expect, it } from "vitest";
import { commandLineStage } from "./command-line-stage.ts";
import { STATUS } from "./unix-door-stage.ts";

const stage = commandLineStage();
const { bellhop, serve } = stage;

const NOW = Date.now();
const UP = { name: "telegram", state: "up", since: NOW - 65_000, lastIn: NOW - 5_000, strangers: 2 } as const;
const STUCK = {
  name: "slack",
  state: "down",
  since: NOW - 1_000,
  error: "secrets/slack is empty.\x1b[2J Write the secret into it.",
  stuck: true,
  strangers: 0,
} as const;

describe("bellhop bridge", () => {
  it("lists bridges with their health, and what to do, in each spelling", async () => {
    await serve({ bridges: async () => ({ bridges: [UP, STUCK] }) });
    for (const words of [["bridge"], ["bridge", "list"], ["bridge", "status"]]) {
      const { stdout, status } = await bellhop(words);
      expect(status).toBe(0);
      expect(stdout).toMatch(/^BRIDGE +STATE +FOR +LAST IN +LAST OUT +STRANGERS\ntelegram +up +1m/);
      expect(stdout).toMatch(/telegram .* ago +2 refused\n/);
      expect(stdout).toContain("slack     down");
      expect(stdout).toContain("↳ secrets/slack is empty. Write the secret into it.\n");
    }
    expect(JSON.parse((await bellhop(["bridge", "--json"])).stdout)).toEqual([UP, STUCK]);
  });

  it("says how to get the first one", async () => {
    await serve({ bridges: async () => ({ bridges: [] }) });
    expect((await bellhop(["bridge"])).stdout).toContain("bellhop bridge add telegram");
    expect((await bellhop(["bridge", "status", "--json"])).stdout).toBe("[]\n");
  });

  it("is in the daemon's status", async () => {
    await serve({ status: async () => ({ ...STATUS, bridges: [UP, STUCK] }) });
    const { stdout } = await bellhop(["status"]);
    expect(stdout).toMatch(/^telegram bridge up for 1m/m);
    expect(stdout).toMatch(/^! slack bridge down for \d+s: secrets\/slack is empty\./m);
    expect(JSON.parse((await bellhop(["status", "--json"])).stdout).bridges).toEqual([UP, STUCK]);
  });
});
