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
import type { ShownAgent } from "../../src/wire/shapes/sessions.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { refusal } from "./refusals.ts";

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
    [["listen", "nobody"], "agent.unknown", 3],
    [["listen", ""], "request.malformed", 2],
    [["listen", "agent/**"], "agent.unknown", 3],
    [["listen", "person/"], "agent.unknown", 3],
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
    const agents = await bellhop.json<readonly ShownAgent[]>(["agent", "list"]);
    expect(agents.map(({ name, sessions }) => [name, sessions.map((session) => session.name)])).toEqual([
      ["red-tea", ["main"]],
      ["red_tea", ["main"]],
      ["web", ["main"]],
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
