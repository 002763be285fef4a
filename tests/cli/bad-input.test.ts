import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Bellhop, type CliResult } from "../rig/bellhop.ts";

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly next: string;
  readonly candidates?: readonly string[];
}

function refusal(result: CliResult): Refusal {
  expect(result.stdout, result.stderr).toBe("");
  const lines = result.stderr.trimEnd().split("\n");
  expect(lines).toHaveLength(1);
  const { error } = JSON.parse(lines[0] ?? "") as { error: Refusal };
  expect(error.message).not.toBe("");
  expect(error.next).not.toBe("");
  expect(result.stderr).not.toMatch(/\bat .*:\d+:\d+/);
  return error;
}

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

describe("a route, a mailbox or an agent that cannot be", () => {
  let bellhop: Bellhop;

  beforeAll(async () => {
    bellhop = new Bellhop();
    await bellhop.start();
    for (const name of ["web", "red-tea", "red_tea"]) await bellhop.json(["agent", "add", name]);
    writeFileSync(join(bellhop.home, "there.jsonl"), "dear\n");
  });
  afterAll(() => bellhop.dispose());

  const exploding = "a/**/b/**/c/**";
  const endless = Array.from({ length: 17 }, () => "x").join("/");
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  const cases: readonly [words: readonly string[], code: string, exit: number, stdin?: string][] = [
    [["send", "web", "--payload", "{"], "usage.invalid", 2],
    [["send", "web", "--payload", ""], "usage.invalid", 2],
    [["send", "web", "x", "--payload", "{'a':1}"], "usage.invalid", 2],
    [["send", "web", "--payload", "1e999"], "usage.invalid", 2],
    [["send", "web", "--payload", nested(64)], "usage.invalid", 2],
    [["send", "web", "--payload", '"\\ud800"'], "message.invalid_utf8", 2],
    [["send", "web", "--payload", "-"], "usage.invalid", 2, ""],
    [["send", "web", "--payload", "-"], "usage.invalid", 2, "\0"],
    [["send", "web", "--payload", "-"], "usage.invalid", 2, nested(100_000)],
    [["send", "web", "--payload", "-"], "message.too_large", 2, JSON.stringify("x".repeat(1024 * 1024))],
    [
      ["send", "web", "--payload", "-", "--command", "c"],
      "message.too_large",
      2,
      `[${"1e20,".repeat(40_000)}1]`,
    ],
    [["send", "web", "-", "--payload", "-"], "usage.invalid", 2, "[1]"],
    [["send", "web", "--raw", "--payload", "[1]"], "message.empty", 2],
    [["send", "web", "--command", ""], "request.malformed", 2],
    [["send", "web", "x", "--command", "c".repeat(257)], "request.malformed", 2],
    [["send", "web", "x", "--source", ""], "request.malformed", 2],
    [["send", "web", "x", "--external-id", "i".repeat(2_000)], "request.malformed", 2],
    [["send", "slack/x", "hi", "--source", "slack", "--from", "web"], "request.forbidden", 1],
    [["send", "slack/x", "hi", "--source", "slack", "--from", "a\u0007b"], "name.invalid", 2],
    [["send", exploding, "hi"], "pattern.invalid", 2],
    [["send", endless, "hi"], "name.invalid", 2],
    [["send", "", "hi"], "request.malformed", 2],
    [["send", "/", "hi"], "name.invalid", 2],
    [["send", "agent//web", "hi"], "name.invalid", 2],
    [["send", "team/../web", "hi"], "name.invalid", 2],
    [["send", "team/\u0007", "hi"], "name.invalid", 2],
    [["send", "team/\u202ex", "hi"], "name.invalid", 2],
    [["send", `team/${"x".repeat(256)}`, "hi"], "name.invalid", 2],
    [["send", `team/${"x".repeat(2_000)}`, "hi"], "request.malformed", 2],
    [["send", "*", "hi"], "recipient.unknown", 3],
    [["broadcast"], "message.empty", 2],
    [["broadcast", "two", "words"], "usage.invalid", 2],
    [["broadcast", "hi", "--from", "ghost"], "recipient.unknown", 3],
    [["broadcast", "--payload", "nonsense"], "usage.invalid", 2],
    [["broadcast", "-"], "message.too_large", 2, "x".repeat(1024 * 1024)],
    [["inbox", "nobody"], "recipient.unknown", 3],
    [["inbox", "Red Tea"], "recipient.ambiguous", 4],
    [["inbox", ""], "request.malformed", 2],
    [["inbox", "../../etc/passwd"], "name.invalid", 2],
    [["inbox", "--limit", "0"], "usage.invalid", 2],
    [["inbox", "web", "--limit", "1e3"], "usage.invalid", 2],
    [["listen"], "usage.invalid", 2],
    [["listen", "nobody"], "agent.unknown", 3],
    [["listen", ""], "request.malformed", 2],
    [["listen", "agent/**"], "agent.unknown", 3],
    [["listen", "person/dev"], "agent.unknown", 3],
    [["listen", "web", "--session", "nobody"], "session.unknown", 3],
    [["listen", "web", "--session", "\u001b[31m"], "session.unknown", 3],
    [["sub", "add", "nobody", "x"], "agent.unknown", 3],
    [["sub", "add", "web", ""], "request.malformed", 2],
    [["sub", "add", "web", exploding], "pattern.invalid", 2],
    [["sub", "add", "web", endless], "name.invalid", 2],
    [["sub", "add", "web", "a/\u0001b"], "name.invalid", 2],
    [["sub", "add", "web", "a/./b"], "name.invalid", 2],
    [["sub", "add", "web", "x", "--session", "a/b"], "name.invalid", 2],
    [["sub", "add", "web", "x", "--session", ""], "request.malformed", 2],
    [["sub", "add", "agent/ghost", "x"], "agent.unknown", 3],
    [["sub", "remove", "web", "never/added"], "pattern.unknown", 3],
    [["sub", "remove", "web", "agent/web"], "pattern.own", 2],
    [["sub", "remove", "web", "x", "--session", "nobody"], "session.unknown", 3],
    [["sub", "list", "nobody"], "agent.unknown", 3],
    [["sub", "list", "--session", "main"], "usage.invalid", 2],
    [["unmatched", "--limit", "many"], "usage.invalid", 2],
    [["unmatched", "clear", "all"], "usage.invalid", 2],
    [["unmatched", "reroute", "nothing"], "message.unknown", 3],
    [["unmatched", "reroute", "#"], "request.malformed", 2],
    [["agent", "add", "web", "--subscribe", "x/**"], "agent.exists", 1],
    [["agent", "add", "fresh", "--subscribe", "x", "--subscribe", exploding], "pattern.invalid", 2],
    [["agent", "add", "fresh", "--session", "UPPER"], "name.invalid", 2],
    [["agent", "add", "Fresh", "--subscribe", "x"], "name.invalid", 2],
    [["agent", "token", "nobody"], "agent.unknown", 3],
    [["agent", "token", "../token"], "agent.unknown", 3],
    [["export", "nobody"], "recipient.unknown", 3],
    [["export", "web", "--unmatched"], "usage.invalid", 2],
    [["export", "--force"], "usage.invalid", 2],
    [["export", "--output", "/nowhere/at/all"], "file.unsafe", 1],
    [["export", "--output", "/dev/null", "--force"], "file.unsafe", 1],
    [["export", "--output", "{home}/there.jsonl"], "file.unsafe", 1],
  ];
  it.each(cases.map(([words, ...rest]) => [words.join(" ").slice(0, 60), words, ...rest] as const))(
    "says no to: %s",
    async (_, words, code, exit, stdin) => {
      const given = words.map((word) => word.replace("{home}", bellhop.home));
      const result = await bellhop.run([...given, "--json"], stdin === undefined ? {} : { stdin });
      expect(refusal(result)).toMatchObject({ code });
      expect(result.code).toBe(exit);
    },
  );

  it("leaves nothing behind, and the daemon well", async () => {
    expect(await bellhop.json(["history"])).toEqual([]);
    expect(await bellhop.json(["unmatched"])).toEqual([]);
    expect(await bellhop.json(["sub", "list"])).toEqual([]);
    const agents = await bellhop.json<{ name: string; sessions: unknown[] }[]>(["agent", "list"]);
    expect(agents.map(({ name, sessions }) => [name, sessions.length])).toEqual([
      ["red-tea", 0],
      ["red_tea", 0],
      ["web", 0],
    ]);
    expect(readFileSync(join(bellhop.home, "there.jsonl"), "utf8")).toBe("dear\n");
    expect(bellhop.log()).not.toContain('"door.bug"');
  });

  it("hands a payload over as it was given, whatever its keys are", async () => {
    const payload =
      '{"__proto__":{"polluted":true},"constructor":1,"snake_key":"\\u0000\\u001b[31m","camelKey":[null]}';
    await bellhop.json(["send", "web", "--command", "\u001b[31mred", "--payload", payload]);
    const [entry] = await bellhop.json<{ message: { id: string; payload: unknown } }[]>(["inbox", "web"]);
    expect(JSON.stringify(entry?.message.payload)).toBe(payload);
    const shown = await bellhop.run(["show", entry?.message.id ?? ""]);
    expect(shown.stdout).not.toMatch(/[\u0000\u001b]/u);
    expect(shown.stdout).toContain("command   red\n");
  });
});

describe("a message with control sequences", () => {
  it("is stored as it is, and shown without them", async () => {
    const bellhop = new Bellhop();
    try {
      await bellhop.start();
      await bellhop.json(["agent", "add", "coder"]);
      const body = "red \u001b[31malert\u001b[0m\u0007 \u202eevil";
      const { messageId } = await bellhop.json<{ messageId: string }>(["send", "coder", body]);
      const shown = await bellhop.json<{ message: { body: string } }>(["show", messageId]);
      expect(shown.message.body).toBe(body);
      const { stdout } = await bellhop.run(["show", messageId]);
      expect(stdout).toContain("red alert evil");
      expect(stdout).not.toMatch(/[\u0007\u001b\u202e]/u);
    } finally {
      await bellhop.dispose();
    }
  });
});

describe("a daemon that cannot start", () => {
  const rooms: string[] = [];
  const room = () => {
    const folder = mkdtempSync(join(tmpdir(), "bh-"));
    rooms.push(folder);
    return folder;
  };
  const started: Bellhop[] = [];
  const fresh = () => {
    const bellhop = new Bellhop();
    started.push(bellhop);
    return bellhop;
  };
  afterEach(async () => {
    for (const bellhop of started.splice(0)) await bellhop.dispose();
    for (const folder of rooms.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  const up = (bellhop: Bellhop, home = bellhop.home) =>
    bellhop.run(["up", "--json"], { env: { BELLHOP_HOME: home } });

  it("says no to a home that is a symbolic link", async () => {
    const target = room();
    const link = join(room(), "home");
    symlinkSync(target, link);
    expect(refusal(await up(fresh(), link))).toMatchObject({ code: "home.unsafe" });
    expect(readdirSync(target)).toEqual([]);
  });

  it("says no to a home that others can read", async () => {
    const home = room();
    chmodSync(home, 0o755);
    expect(refusal(await up(fresh(), home))).toMatchObject({ code: "home.unsafe" });
    expect(readdirSync(home)).toEqual([]);
  });

  it("says no to a home whose sockets would have too long a path", async () => {
    const home = join(room(), "a".repeat(120));
    expect(refusal(await up(fresh(), home))).toMatchObject({ code: "home.path_too_long" });
  });

  it("says where a broken config is wrong, and does not start", async () => {
    const bellhop = fresh();
    writeFileSync(join(bellhop.home, "config.yaml"), "http: { port: 0 }\ndelivery:\n  max_batch_sise: 3\n");
    const { code, message } = refusal(await up(bellhop));
    expect(code).toBe("config.invalid");
    expect(message).toContain("config.yaml:3:");
    expect(message).toContain("max_batch_size");
  });

  it("says what to do about a corrupt database, and leaves it as it is", async () => {
    const bellhop = fresh();
    const garbage = Buffer.alloc(8192, "not a database ");
    writeFileSync(join(bellhop.home, "bellhop.db"), garbage);
    expect(refusal(await up(bellhop))).toMatchObject({ code: "store.corrupt" });
    expect(readdirSync(bellhop.home)).toContain("bellhop.db");
  });

  it("says no when something else listens on its socket", async () => {
    const bellhop = fresh();
    mkdirSync(join(bellhop.home, "run"), { mode: 0o700 });
    const squatter = createServer((socket) => socket.end("who are you?\n"));
    await new Promise<void>((resolve) => squatter.listen(bellhop.socket, resolve));
    try {
      expect(refusal(await up(bellhop)).code).toMatch(/^daemon\./);
    } finally {
      squatter.close();
    }
  });

  it("never runs twice on one home, and survives a stale socket", async () => {
    const bellhop = fresh();
    await bellhop.start();
    const second = await bellhop.run(["up", "--foreground", "--json"]);
    expect(refusal(second)).toMatchObject({ code: "daemon.already_running" });
    await bellhop.stop("SIGKILL");
    expect(existsSync(bellhop.socket)).toBe(true);
    const again = await up(bellhop);
    expect(again.code, again.stderr).toBe(0);
  });
});
