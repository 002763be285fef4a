import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Bellhop } from "../rig/bellhop.ts";
import { refusal } from "./refusals.ts";

describe("a message that cannot be accepted", () => {
  let bellhop: Bellhop;

  beforeAll(async () => {
    bellhop = new Bellhop();
    await bellhop.start();
    for (const name of ["offline", "red-tea", "red_tea"]) await bellhop.json(["agent", "add", name]);
  });
  afterAll(() => bellhop.dispose());

  const nothingStored = async () => {
    expect(await bellhop.json(["queue"])).toEqual([]);
    expect(
      existsSync(join(bellhop.home, "messages")) ? readdirSync(join(bellhop.home, "messages")) : [],
    ).toEqual([]);
  };

  afterEach(nothingStored);

  const cases: readonly [
    name: string,
    args: readonly string[],
    code: string,
    exit: number,
    stdin?: string,
  ][] = [
    ["an unknown recipient", ["send", "nobody", "hi"], "recipient.unknown", 3],
    ["a recipient with ../", ["send", "../../etc/passwd", "hi"], "name.invalid", 2],
    ["no text", ["send", "offline", ""], "message.empty", 2],
    ["blank text", ["send", "offline", " \n\t "], "message.empty", 2],
    ["an empty standard input", ["send", "offline", "-"], "message.empty", 2, ""],
    ["a megabyte", ["send", "offline", "-"], "message.too_large", 2, "x".repeat(1024 * 1024)],
    ["no recipient", ["send"], "usage.invalid", 2],
    ["unquoted words", ["send", "offline", "two", "words"], "usage.invalid", 2],
    ["an unknown priority", ["send", "offline", "hi", "--priority", "soon"], "usage.invalid", 2],
    ["an unknown option", ["send", "offline", "hi", "--prioriti", "normal"], "usage.invalid", 2],
    ["an answer to nothing", ["reply", "zzzzzz", "hi"], "message.unknown", 3],
    ["an unknown sender", ["send", "offline", "hi", "--from", "ghost"], "recipient.unknown", 3],
    ["a file that is not there", ["send", "offline", "--file", "/nowhere/at/all"], "file.missing", 1],
    ["a word for a time-out", ["send", "offline", "hi", "--timeout", "soon"], "usage.invalid", 2],
    ["a negative time-out", ["send", "offline", "hi", "--timeout=-1"], "usage.invalid", 2],
    ["a time-out of eleven years", ["send", "offline", "hi", "--timeout", "4015d"], "usage.invalid", 2],
    ["a notice at no time", ["send", "offline", "hi", "--notify-after", "later"], "usage.invalid", 2],
    ["a history of nobody", ["history", "nobody"], "recipient.unknown", 3],
    ["a history without end", ["history", "--limit", "1001"], "usage.invalid", 2],
    ["reminders of nobody", ["reminders", "nobody"], "recipient.unknown", 3],
    ["the screen of nobody", ["output", "nobody"], "recipient.unknown", 3],
    ["an unknown message", ["show", "nothing"], "message.unknown", 3],
    ["an unknown command", ["sedn", "offline", "hi"], "usage.unknown_command", 2],
    ["a name with ../", ["agent", "add", "../evil"], "name.invalid", 2],
    ["a name with a control sequence", ["agent", "add", "\u001b[31mred"], "name.invalid", 2],
    ["a name that is taken", ["agent", "add", "offline"], "agent.exists", 1],
  ];
  for (const [name, args, code, exit, stdin] of cases) {
    it(`says no to ${name}`, async () => {
      const result = await bellhop.run([...args, "--json"], stdin === undefined ? {} : { stdin });
      expect(refusal(result)).toMatchObject({ code });
      expect(result.code).toBe(exit);
    });
  }

  it("lists both where a word could mean two agents", async () => {
    const result = await bellhop.run(["send", "Red Tea", "hi", "--json"]);
    const { code, candidates } = refusal(result);
    expect(code).toBe("recipient.ambiguous");
    expect(candidates).toHaveLength(2);
    expect(result.code).toBe(4);
  });

  it("says no to text that is not UTF-8", async () => {
    const file = join(bellhop.home, "latin1.txt");
    writeFileSync(file, Buffer.from([0x68, 0xe9, 0x21]));
    const result = await bellhop.run(["send", "offline", "--file", file, "--json"]);
    expect(refusal(result)).toMatchObject({ code: "message.invalid_utf8" });
    rmSync(file);
  });

  it("keeps a path that nobody has as a dead letter, and says so", async () => {
    const result = await bellhop.run(["send", "agent/ghost", "hi", "--json"]);
    expect(result.code).toBe(3);
    expect(JSON.parse(result.stdout)).toMatchObject({ unmatched: true, deliveries: [] });
    rmSync(join(bellhop.home, "messages"), { recursive: true, force: true });
  });
});

describe("a reminder that cannot be set", () => {
  let bellhop: Bellhop;

  beforeAll(async () => {
    bellhop = new Bellhop();
    await bellhop.start();
    for (const name of ["offline", "red-tea", "red_tea"]) await bellhop.json(["agent", "add", name]);
  });
  afterAll(() => bellhop.dispose());

  const huge = "x".repeat(1024 * 1024);
  const cases: readonly [words: readonly string[], code: string, exit: number, stdin?: string][] = [
    [[], "usage.invalid", 2],
    [["5m"], "message.empty", 2],
    [["look"], "usage.invalid", 2],
    [["soon", "look"], "usage.invalid", 2],
    [["5 minutes", "look"], "usage.invalid", 2],
    [["1.2.3h", "look"], "usage.invalid", 2],
    [["-5m", "look"], "usage.invalid", 2],
    [["--", "-5m", "look"], "usage.invalid", 2],
    [["4015d", "look"], "usage.invalid", 2],
    [["99999999999999999999", "look"], "usage.invalid", 2],
    [["NaN", "look"], "usage.invalid", 2],
    [["5m", ""], "message.empty", 2],
    [["5m", "-"], "message.empty", 2, ""],
    [["5m", "-"], "message.too_large", 2, huge],
    [["5m", "two", "words"], "usage.invalid", 2],
    [["5m", "look", "--at", "17:30"], "usage.invalid", 2],
    [["5m", "look", "--cron", "0 9 * * *"], "usage.invalid", 2],
    [["look", "--at", "17:30", "--cron", "0 9 * * *"], "usage.invalid", 2],
    [["look", "--every", "1h", "--cron", "0 9 * * *"], "usage.invalid", 2],
    [["look", "--every", "0"], "reminder.invalid", 2],
    [["look", "--every", "500ms"], "reminder.invalid", 2],
    [["look", "--every", "11y"], "usage.invalid", 2],
    [["look", "--every", "-1h"], "usage.invalid", 2],
    [["look", "--every="], "usage.invalid", 2],
    [["look", "--at", "yesterday"], "usage.invalid", 2],
    [["look", "--at", "24:00"], "usage.invalid", 2],
    [["look", "--at", "2027-02-29"], "usage.invalid", 2],
    [["look", "--at", "2027-02-30 09:00"], "usage.invalid", 2],
    [["look", "--at", "2020-01-01 09:00"], "reminder.invalid", 2],
    [["look", "--at", "1969-12-31T23:59Z"], "reminder.invalid", 2],
    [["look", "--at", "9999-12-31 23:59"], "reminder.invalid", 2],
    [["look", "--at", "\u001b[31m17:30"], "usage.invalid", 2],
    [["look", "--cron", ""], "request.malformed", 2],
    [["look", "--cron", "bad"], "reminder.invalid", 2],
    [["look", "--cron", "* * * *"], "reminder.invalid", 2],
    [["look", "--cron", "* * * * * *"], "reminder.invalid", 2],
    [["look", "--cron", "61 * * * *"], "reminder.invalid", 2],
    [["look", "--cron", "0 25 * * *"], "reminder.invalid", 2],
    [["look", "--cron", "*/0 * * * *"], "reminder.invalid", 2],
    [["look", "--cron", "5-1-2 * * * *"], "reminder.invalid", 2],
    [["look", "--cron", "0 0 30 2 *"], "reminder.invalid", 2],
    [["look", "--cron", "0 0 * * mon,,tue,"], "reminder.invalid", 2],
    [["look", "--cron", "@reboot"], "reminder.invalid", 2],
    [["look", "--cron", "; rm -rf / * *"], "reminder.invalid", 2],
    [["look", "--cron", "* ".repeat(100)], "request.malformed", 2],
    [["5m", "look", "--to", "nobody"], "recipient.unknown", 3],
    [["5m", "look", "--to", ""], "request.malformed", 2],
    [["5m", "look", "--to", "../../etc/passwd"], "name.invalid", 2],
    [["5m", "look", "--to", "x".repeat(2_000)], "request.malformed", 2],
    [["5m", "look", "--to", "Red Tea"], "recipient.ambiguous", 4],
    [["5m", "look", "--from", "ghost"], "recipient.unknown", 3],
    [["5m", "look", "--wait", "delivered"], "usage.invalid", 2],
  ];
  it.each(cases.map(([words, ...rest]) => [words.join(" ").slice(0, 50), words, ...rest] as const))(
    "says no to: remind %s",
    async (_, words, code, exit, stdin) => {
      const result = await bellhop.run(["remind", "--json", ...words], stdin === undefined ? {} : { stdin });
      expect(refusal(result)).toMatchObject({ code });
      expect(result.code).toBe(exit);
    },
  );

  it("leaves nothing behind, and the daemon well", async () => {
    expect(await bellhop.json(["reminders"])).toEqual([]);
    expect(await bellhop.json(["history"])).toEqual([]);
    expect(bellhop.log()).not.toContain('"door.bug"');
  });

  it("says no to cancelling what is not there", async () => {
    const unknown = await bellhop.run(["reminders", "cancel", "nothing", "--json"]);
    expect(refusal(unknown)).toMatchObject({ code: "reminder.unknown" });
    expect(unknown.code).toBe(3);
  });

  it("takes bytes that no terminal may see, and shows the rest", async () => {
    const text = "a\0b \u001b]0;t\u0007\u202ec";
    const { id } = await bellhop.json<{ id: string }>(["remind", "1d", "-"], { stdin: text });
    expect(await bellhop.json(["reminders"])).toMatchObject([{ id, text }]);
    const { stdout } = await bellhop.run(["reminders", "cancel", id.slice(0, 4)]);
    expect(stdout).toMatch(/: ab c\n$/);
  });
});
