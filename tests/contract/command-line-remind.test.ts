import { describe, expect, it } from "vitest";
import type { ShownReminder } from "../../src/wire/shapes/reminders.ts";
import { commandLineStage } from "./command-line-stage.ts";

const { bellhop, request, serve } = commandLineStage();

describe("bellhop remind", () => {
  const REMINDER: ShownReminder = {
    id: "k3x9a2",
    to: "agent/coder",
    sessionId: "08bc57cf",
    text: "look",
    setBy: "person/dev",
    dueAt: Date.UTC(2126, 11, 24, 9),
    everyMs: 86_400_000,
    createdAt: 1,
    fired: 0,
  };

  it("sets a reminder under both its names, in the zone of whoever asks", async () => {
    await serve({ remind: async () => REMINDER });
    const shown = await bellhop(
      ["remind", "look", "--at", "2126-12-24 09:00", "--every", "1d", "--to", "coder"],
      {
        env: { TZ: "Asia/Kathmandu" },
      },
    );
    expect(shown).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^Reminder k3x9a2 for agent\/coder, 2126-12-24 14:45 \(in \d+d.*\), then every 1d\n$/,
      ),
      stderr: "",
    });
    expect(request()).toEqual({
      text: "look",
      at: Date.UTC(2126, 11, 24, 3, 15),
      everyMs: 86_400_000,
      to: "coder",
      claims: { user: "dev", pid: expect.any(Number) },
    });
    const scripted = await bellhop(["wake", "10m", "-", "--json"], {
      input: "time to review\n",
      env: { BELLHOP_SESSION_ID: "08bc57cf" },
    });
    expect(JSON.parse(scripted.stdout)).toEqual(REMINDER);
    expect(request()).toEqual({
      text: "time to review",
      afterMs: 600_000,
      claims: { user: "dev", pid: expect.any(Number), session: "08bc57cf" },
    });
    await bellhop(["remind", "--cron", "0 9 * * 1-5", "stand-up", "--from", "agent/lead"]);
    expect(request()).toMatchObject({ text: "stand-up", cron: "0 9 * * 1-5", from: "agent/lead" });
  });

  it("lists and cancels", async () => {
    await serve({
      reminders: async () => ({ reminders: [REMINDER] }),
      reminder_cancel: async () => REMINDER,
    });
    expect((await bellhop(["reminders"])).stdout).toMatch(
      /^ID +WHEN +FOR +REPEATS +TEXT\nk3x9a2 +2126-12-24 09:00 .* agent\/coder +every 1d +look\n$/,
    );
    expect(JSON.parse((await bellhop(["reminders", "coder", "--json"])).stdout)).toEqual([REMINDER]);
    expect(request()).toEqual({ who: "coder" });
    expect((await bellhop(["reminders", "cancel", "#k3x"])).stdout).toBe(
      "cancelled k3x9a2 for agent/coder: look\n",
    );
    expect(request()).toEqual({ id: "k3x" });
  });
});
