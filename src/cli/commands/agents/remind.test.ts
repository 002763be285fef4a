import { describe, expect, it } from "vitest";
import { perform, type Stage } from "../../../../tests/cli/command-stage.ts";
import { LIMITS } from "../../../core/message.ts";
import type { ShownReminder } from "../../../wire/shapes/reminders.ts";
import type { RemindRequest } from "../../../wire/verbs/reminders.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A Monday, in the local time zone. */
const NOW = new Date(2026, 11, 21, 13, 28).getTime();

const stage = (shown: Partial<ShownReminder> = {}): Stage => ({
  now: NOW,
  answers: {
    remind: async ({ text, to = "agent/coder", everyMs, cron, at, afterMs }) => ({
      id: "k3x9a2",
      to,
      text,
      setBy: "person/dev",
      dueAt: at ?? NOW + (afterMs ?? everyMs ?? HOUR),
      createdAt: NOW,
      fired: 0,
      ...(everyMs === undefined ? {} : { everyMs }),
      ...(cron === undefined ? {} : { cron }),
      ...shown,
    }),
  },
});
const remind = (...words: readonly string[]) => perform(["remind", ...words], stage());
const requestOf = async (...words: readonly string[]): Promise<RemindRequest> => {
  const { asked, stderr } = await remind(...words);
  expect(stderr).toBe("");
  return asked[0]?.request as RemindRequest;
};

describe("bellhop remind", () => {
  it("says for whom and when", async () => {
    expect((await remind("242m", "look")).stdout).toBe(
      "Reminder k3x9a2 for agent/coder, Mon 17:30 (in 4h 2m)\n",
    );
    expect((await remind("60d", "look")).stdout).toBe(
      "Reminder k3x9a2 for agent/coder, 2027-02-19 13:28 (in 60d)\n",
    );
    expect((await remind("1m", "look", "--every", "30m")).stdout).toBe(
      "Reminder k3x9a2 for agent/coder, Mon 13:29 (in 1m), then every 30m\n",
    );
    expect((await remind("--cron", "0 9 * * 1-5", "look")).stdout).toContain(", then by cron 0 9 * * 1-5\n");
  });

  it("prints the reminder as it is for scripts", async () => {
    const { stdout } = await remind("5m", "look", "--json");
    expect(JSON.parse(stdout)).toEqual({
      id: "k3x9a2",
      to: "agent/coder",
      text: "look",
      setBy: "person/dev",
      dueAt: NOW + 5 * MINUTE,
      createdAt: NOW,
      fired: 0,
    });
  });

  it("lets nothing through that a terminal would obey", async () => {
    const { stdout } = await perform(
      ["remind", "5m", "x"],
      stage({ to: "agent/\x1b[2Jevil", cron: "\x1b]0;t\x07* * * * *" }),
    );
    expect(stdout).not.toMatch(/[\x1b\x07]/);
  });

  it("takes a delay, a time, a repetition or a cron line", async () => {
    const claims = { user: "dev" };
    expect(await requestOf("5m", "look")).toEqual({ text: "look", afterMs: 5 * MINUTE, claims });
    expect(await requestOf("90", "look")).toEqual({ text: "look", afterMs: 90_000, claims });
    expect(await requestOf("60d", "look")).toEqual({ text: "look", afterMs: 60 * 24 * HOUR, claims });
    expect(await requestOf("--every", "30m", "look")).toEqual({ text: "look", everyMs: 30 * MINUTE, claims });
    expect(await requestOf("1m", "look", "--every", "30m")).toEqual({
      text: "look",
      afterMs: MINUTE,
      everyMs: 30 * MINUTE,
      claims,
    });
    expect(await requestOf("--at", "17:30", "look")).toEqual({
      text: "look",
      at: new Date(2026, 11, 21, 17, 30).getTime(),
      claims,
    });
    expect(await requestOf("look", "--at", "2026-12-24 09:00", "--every", "1d")).toEqual({
      text: "look",
      at: new Date(2026, 11, 24, 9).getTime(),
      everyMs: 24 * HOUR,
      claims,
    });
    expect(await requestOf("--cron", "0 9 * * 1-5", "look")).toEqual({
      text: "look",
      cron: "0 9 * * 1-5",
      claims,
    });
  });

  it("carries every other option, and is also called wake", async () => {
    const { asked } = await perform(
      ["wake", "10m", "review", "--to", "coder", "--from", "agent/lead", "--idempotency-key", "k"],
      stage(),
    );
    expect(asked).toEqual([
      {
        verb: "remind",
        request: {
          text: "review",
          afterMs: 10 * MINUTE,
          to: "coder",
          from: "agent/lead",
          idempotencyKey: "k",
          claims: { user: "dev" },
        },
      },
    ]);
  });

  it("leaves it to the daemon whether a time has passed when there is a key, and says how it was written", async () => {
    const key = ["--idempotency-key", "k"];
    expect(await requestOf("look", "--at", " 2020-01-01 09:00", ...key)).toMatchObject({
      at: new Date(2020, 0, 1, 9).getTime(),
      atWritten: "2020-01-01 09:00",
      idempotencyKey: "k",
    });
    expect(await requestOf("look", "--at", "13:00", ...key)).toMatchObject({
      at: new Date(2026, 11, 22, 13).getTime(),
      atWritten: "13:00",
    });
  });

  it("takes its text from stdin, or after -- what looks like something else", async () => {
    const { asked } = await perform(["remind", "5m", "-"], { ...stage(), stdin: "several\nlines\n" });
    expect(asked[0]?.request).toMatchObject({ text: "several\nlines" });
    expect(await requestOf("--at", "17:30", "--", "5m")).toMatchObject({ text: "5m" });
    expect(await requestOf("5m", "--", "--every")).toMatchObject({ text: "--every" });
    expect(await requestOf("5m", "--", "-")).toMatchObject({ text: "-" });
    expect(await requestOf("--every", "1h", "--", "-v")).toMatchObject({ text: "-v" });
  });

  it("takes a text at the limit", async () => {
    const text = "x".repeat(LIMITS.bodyBytes);
    expect(await requestOf("5m", text)).toMatchObject({ text });
  });

  it.each<[string, readonly string[], RegExp]>([
    ["no words at all", [], /needs more/],
    ["a delay without a text", ["5m"], /reminder has no text/],
    ["a text without a time", ["look again"], /No time was given/],
    ["stdin without a time", ["-"], /No time was given/],
    ["a word for a delay", ["soon", "look"], /"soon" is not a length of time/],
    ["an empty delay", ["", "look"], /"" is not a length of time/],
    ["a blank delay", ["  ", "look"], /is not a length of time/],
    ["a delay with a word too many", ["5m", "look", "again"], /at most 2 words, not 3/],
    ["a negative delay", ["-5m", "look"], /no option "-5"/],
    ["a negative delay as a word", ["--", "-5m", "look"], /"-5m" is not a length of time/],
    ["an unknown unit", ["5w", "look"], /not a length of time/],
    ["units in the wrong order", ["30m1h", "look"], /not a length of time/],
    ["a unit twice", ["5m5m", "look"], /not a length of time/],
    ["an exponent", ["1e3", "look"], /not a length of time/],
    ["hexadecimal", ["0x10", "look"], /not a length of time/],
    ["infinity", ["Infinity", "look"], /not a length of time/],
    ["a number of twenty digits", ["99999999999999999999", "look"], /not a length of time/],
    ["eleven years", ["4015d", "look"], /not a length of time/],
    ["digits of another script", ["٥m", "look"], /not a length of time/],
    ["a delay with a NUL byte", ["5m\0", "look"], /not a length of time/],
    ["a delay with an escape sequence", ["\x1b[31m5m", "look"], /not a length of time/],
    ["a very long delay", ["5".repeat(100_000), "look"], /"5{40}…" is not a length of time/],
    ["a huge text", ["5m", "x".repeat(LIMITS.bodyBytes + 1)], /at most 256 KiB/],
    ["a blank text", ["5m", " \n\t"], /text is empty/],
    ["an empty text", ["--every", "5m", ""], /text is empty/],
    [
      "--at and --cron",
      ["--at", "17:30", "--cron", "0 9 * * *", "look"],
      /--at and --cron cannot both be given/,
    ],
    [
      "--cron and --every",
      ["--cron", "0 9 * * *", "--every", "1h", "x"],
      /--cron and --every cannot both be given/,
    ],
    ["all three", ["--at", "17:30", "--cron", "* * * * *", "--every", "1h", "x"], /cannot both be given/],
    ["a delay and --at", ["5m", "look", "--at", "17:30"], /A delay and --at cannot both be given/],
    ["a delay and --cron", ["5m", "look", "--cron", "0 9 * * *"], /A delay and --cron cannot both be given/],
    ["unquoted words with --every", ["--every", "1h", "run", "tests"], /With --every a reminder takes one/],
    ["unquoted words with --at", ["--at", "17:30", "stand", "up"], /With --at a reminder takes one text/],
    ["only a delay with --every", ["5m", "--every", "1h"], /reminder has no text/],
    ["only a delay with --at", ["5m", "--at", "17:30"], /reminder has no text/],
    ["--every without a value", ["5m", "look", "--every"], /--every needs a value/],
    ["--at without a value", ["look", "--at"], /--at needs a value/],
    ["--every soon", ["look", "--every", "soon"], /"soon" is not a length of time for --every/],
    ["--every with a minus", ["look", "--every=-1h"], /"-1h" is not a length of time for --every/],
    ["--at with a delay", ["look", "--at", "5m"], /--at takes a time/],
    ["--at with a plain number", ["look", "--at", "1730"], /--at takes a time/],
    ["--at with a word", ["look", "--at", "tomorrow"], /"tomorrow" is not a time for --at/],
    ["--at with nothing", ["look", "--at", ""], /"" is not a time for --at/],
    ["--at 25:00", ["look", "--at", "25:00"], /There is no time 25:00/],
    ["the 30th of February", ["look", "--at", "2027-02-30 09:00"], /There is no 2027-02-30/],
    ["the 13th month", ["look", "--at", "2027-13-01 09:00"], /There is no 2027-13-01/],
    ["a zone that is none", ["look", "--at", "2027-01-01T00:00+99:00"], /no time zone \+99:00/],
    ["a date that has passed", ["look", "--at", "2020-01-01 09:00"], /"2020-01-01 09:00" has already passed/],
    ["an ISO date that has passed", ["look", "--at", "2020-01-01T09:00Z"], /has already passed/],
    ["--at with a NUL byte", ["look", "--at", "17:30\0"], /is not a time for --at/],
    ["a value for --json", ["5m", "look", "--json=yes"], /takes no value/],
    ["a misspelt option", ["5m", "look", "--evry", "1h"], /no option "--evry"/],
    ["an option of send", ["5m", "look", "--urgent"], /no option "--urgent"/],
    ["a name of the prototype", ["5m", "look", "--toString"], /no option "--toString"/],
  ])("refuses %s, and asks nothing of the daemon", async (_, words, message) => {
    const { status, stdout, stderr, asked } = await remind(...words);
    expect(stderr).toMatch(message);
    expect(stderr.split("\n").length).toBeGreaterThanOrEqual(3);
    expect(stderr.length).toBeLessThan(600);
    expect(stderr).not.toMatch(/[\0\x1b]|\n\s+at /);
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(asked).toEqual([]);
  });

  it("refuses bytes on stdin that are no text", async () => {
    const { status, stderr } = await perform(["remind", "5m", "-", "--json"], {
      ...stage(),
      stdin: Buffer.from([0x61, 0xff]),
    });
    expect(status).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "message.invalid_utf8" } });
  });

  it("tells a script in one line that a time has passed", async () => {
    const { stderr, stdout } = await remind("look", "--at", "2020-01-01 09:00", "--json");
    expect(stdout).toBe("");
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: "reminder.invalid",
        message: '"2020-01-01 09:00" has already passed.',
        next: 'Give a time in the future: 17:30, "2026-12-24 09:00" or 2026-12-24T09:00Z.',
      },
    });
  });
});
