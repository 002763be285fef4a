import { describe, expect, it } from "vitest";
import { perform } from "../../../../tests/cli/command-stage.ts";
import { BellhopError } from "../../../core/errors.ts";
import type { ShownReminder } from "../../../wire/shapes/reminders.ts";

const HOUR = 3_600_000;
const NOW = new Date(2026, 11, 21, 13, 0).getTime();

const once: ShownReminder = {
  id: "k3x9a2",
  to: "agent/coder",
  text: "look\nagain \x1b[31mred",
  setBy: "person/dev",
  dueAt: NOW + HOUR,
  createdAt: NOW,
  fired: 0,
};
const daily: ShownReminder = {
  ...once,
  id: "b7",
  dueAt: NOW + 100 * 24 * HOUR,
  cron: "0 9 * * 1-5",
  fired: 3,
};
const often: ShownReminder = {
  ...once,
  id: "c8",
  to: "session/08bc57cf",
  everyMs: HOUR / 2,
  text: "x".repeat(500),
};

const list = (reminders: readonly ShownReminder[], words: readonly string[] = [], columns = 0) =>
  perform(["reminders", ...words], {
    now: NOW,
    columns,
    answers: { reminders: async () => ({ reminders }) },
  });

describe("bellhop reminders", () => {
  it("lists what is set", async () => {
    const { stdout } = await list([once, often, daily]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^ID +WHEN +FOR +REPEATS +TEXT$/);
    expect(lines[1]).toMatch(/^k3x9a2 +Mon 14:00 \(in 1h\) +agent\/coder +look again red$/);
    expect(lines[2]).toMatch(/^c8 +Mon 14:00 \(in 1h\) +session\/08bc57cf +every 30m +x{80}$/);
    expect(lines[3]).toMatch(
      /^b7 +2027-03-31 \d\d:\d\d \(in 100d\) +agent\/coder +by cron 0 9 \* \* 1-5 +look/,
    );
  });

  it("says which one still waits, for which the next is left out", async () => {
    const { stdout } = await list([{ ...often, waiting: "m7k2q9" }]);
    expect(stdout).toContain(" every 30m, #m7k2q9 still waits ");
  });

  it("fits a terminal of 100 columns", async () => {
    const { stdout } = await list([once, often], [], 100);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  it("asks for one agent's, and prints them as they are for scripts", async () => {
    const { stdout, asked } = await list([once], ["coder", "--json"]);
    expect(asked).toEqual([{ verb: "reminders", request: { who: "coder" } }]);
    expect(JSON.parse(stdout)).toEqual([once]);
  });

  it("says that there are none, and what to do", async () => {
    expect((await list([])).stdout).toBe(
      'No reminders are set. Set one with: bellhop remind 5m "look again"\n',
    );
    expect((await list([], ["coder"])).stdout).toContain("No reminders are set for coder.");
    expect((await list([], ["--json"])).stdout).toBe("[]\n");
  });
});

describe("bellhop reminders cancel", () => {
  it("says what it cancelled", async () => {
    const answers = { reminder_cancel: async () => once };
    const { stdout, asked } = await perform(["reminders", "cancel", "#k3"], { answers });
    expect(asked).toEqual([{ verb: "reminder_cancel", request: { id: "k3" } }]);
    expect(stdout).toBe("cancelled k3x9a2 for agent/coder: look again red\n");
    const scripted = await perform(["reminders", "cancel", "k3", "--json"], { answers });
    expect(JSON.parse(scripted.stdout)).toEqual(once);
  });

  it("passes on that there is none", async () => {
    const { status, stderr } = await perform(["reminders", "cancel", "zz", "--json"], {
      answers: {
        reminder_cancel: async () => {
          throw new BellhopError("reminder.unknown", { message: "None.", next: "Look." });
        },
      },
    });
    expect(status).toBe(3);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "reminder.unknown" } });
  });

  it("needs an id", async () => {
    const { status, stderr } = await perform(["reminders", "cancel"], { answers: {} });
    expect(status).toBe(2);
    expect(stderr).toContain("reminders cancel ID");
  });
});
