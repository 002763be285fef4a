import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BellhopError } from "../../src/core/errors.ts";
import { run } from "./built-command-line.ts";
import { commandLineStage, errorOf, ROOT, SENT, SESSION, VERSION } from "./command-line-stage.ts";

const stage = commandLineStage();
const { bellhop, request, serve } = stage;

describe("bellhop", () => {
  it("shows history newest last, and asks for a period", async () => {
    const entry = (shortId: string) => ({
      message: { shortId, from: "person/dev", body: `text of ${shortId}`, createdAt: 1 },
      delivery: { to: "agent/coder", state: "expired" },
    });
    const entries = [entry("bbbbbb"), entry("aaaaaa")];
    await serve({ history: async () => ({ entries }) as never });
    const ran = await bellhop(["history", "coder", "--from", "2026-01-01T00:00Z", "--limit", "2"]);
    expect(ran.stdout).toMatch(/^SENT .*\n.*#aaaaaa.*expired +text of aaaaaa\n.*#bbbbbb.*\n$/);
    expect(request()).toEqual({ who: "coder", limit: 2, fromTime: Date.UTC(2026, 0, 1) });
    expect(JSON.parse((await bellhop(["history", "--json"])).stdout)).toEqual(entries);
  });

  it("tells errors of the daemon with status, candidates and advice, and lets no escape sequence through", async () => {
    await serve({
      send: async () => {
        throw new BellhopError("recipient.ambiguous", {
          message: 'Two match "x\x1b]0;evil\x07".',
          next: "Say which.",
          candidates: ["agent/a\x1b[2J", "agent/b"],
        });
      },
    });
    const ran = await bellhop(["send", "x", "y"]);
    expect(ran.status).toBe(4);
    expect(ran.stdout).toBe("");
    expect(ran.stderr).toBe('bellhop: Two match "x".\n  · agent/a\n  · agent/b\n  Say which.\n');
    expect(errorOf(await bellhop(["send", "x", "y", "--json"])).candidates).toHaveLength(2);
  });

  it("lists sessions for people and scripts", async () => {
    await serve({ ls: async () => ({ sessions: [{ ...SESSION, headline: "fix\x1b[31m it" }] }) });
    const ran = await bellhop(["ls"]);
    expect(ran.stdout).toMatch(
      /^AGENT +ID +PROGRAM +STATE +QUEUED +WHERE +HEADLINE\ncoder +08bc57cf +claude +idle +0 +main:0\.0 +fix it\n$/,
    );
    expect(JSON.parse((await bellhop(["ls", "--json"])).stdout)).toEqual([
      { ...SESSION, headline: "fix\x1b[31m it" },
    ]);
  });

  it("prints a screen without what a terminal would obey, with colours if asked", async () => {
    const screen = "a\x1b[31mred\x1b[0m\x1b]0;t\x07\x1b[2J\u009b5mb";
    await serve({ peek: async () => ({ sessionId: "s", screen }) });
    expect((await bellhop(["peek", "coder"])).stdout).toBe("aredb\n");
    expect((await bellhop(["output", "coder", "--ansi"])).stdout).toBe("a\x1b[31mred\x1b[0mb\x1b[0m\n");
    expect(request()).toEqual({ who: "coder", ansi: true });
  });

  it("asks for each change of the queue in one way", async () => {
    await serve({
      queue: async () => ({ deliveries: [], drafts: [] }),
      queue_change: async () => ({ deliveries: SENT.deliveries }),
      pause: async ({ paused }) => ({ agent: "coder", paused }),
      name: async () => ({ agent: "r", sessionId: "08bc57cf" }),
    });
    expect((await bellhop(["queue", "--json"])).stdout).toBe("[]\n");
    await bellhop(["queue", "coder"]);
    expect(request()).toEqual({ who: "coder" });
    await bellhop(["queue", "cancel", "#m7k2q9"]);
    expect(request()).toEqual({ id: "m7k2q9", change: "cancel" });
    await bellhop(["queue", "move", "a", "--before", "#b"]);
    expect(request()).toEqual({ id: "a", change: "move", before: "b" });
    await bellhop(["queue", "unpause", "coder"]);
    expect(request()).toEqual({ who: "coder", paused: false });
    await bellhop(["name", "reviewer"]);
    expect(request()).toMatchObject({ name: "reviewer", claims: { user: expect.any(String) } });
    await bellhop(["name", "coder", "reviewer"]);
    expect(request()).toMatchObject({ who: "coder", name: "reviewer" });
  });

  it("does not start the daemon for status, and exits 5", async () => {
    expect(await bellhop(["status", "--json"])).toEqual({
      status: 5,
      stdout: `${JSON.stringify({ running: false, home: stage.home })}\n`,
      stderr: "",
    });
    expect(() => readFileSync(join(stage.home, "started"))).toThrow();
    expect((await bellhop(["down", "--json"])).stdout).toBe(
      `${JSON.stringify({ running: false, home: stage.home })}\n`,
    );
  });

  it("starts the daemon on first use without its starter's session, and stops it for good", async () => {
    const ran = await bellhop(["ls", "--json"], { env: { CLAUDE_CODE_SESSION_ID: "secret" } });
    expect(ran).toMatchObject({ status: 0, stdout: "[]\n" });
    expect(ran.stderr).toContain("bellhop down && bellhop up");
    const [started] = readFileSync(join(stage.home, "started"), "utf8").trim().split("\n");
    expect(JSON.parse(started ?? "")).toMatchObject({ session: null });
    expect((await bellhop(["status", "--json"])).status).toBe(0);
    expect((await bellhop(["down"])).stdout).toBe("stopped\n");
    expect((await bellhop(["status"])).status).toBe(5);
  });

  it("tells why the daemon would not start", async () => {
    const failure = JSON.stringify({
      error: { code: "store.corrupt", message: "The store is broken.", next: "Restore it." },
    });
    const ran = await bellhop(["ls", "--json"], { env: { STUB_FAILS: failure } });
    expect(ran.status).toBe(1);
    expect(errorOf(ran)).toMatchObject({ code: "store.corrupt", next: "Restore it." });
    const crashed = await bellhop(["ls", "--json"], { env: { STUB_FAILS: "Error: out of luck: really" } });
    expect(errorOf(crashed)).toMatchObject({
      code: "daemon.start_failed",
      message: expect.stringContaining("out of luck"),
    });
    expect(crashed.status).toBe(5);
  });

  it("says so when the daemon is of another version, and still does the work", async () => {
    await serve({ send: async () => SENT }, "9.9.9");
    const ran = await bellhop(["send", "coder", "x", "--json"]);
    expect(ran.status).toBe(0);
    expect(ran.stderr).toContain("The daemon is version 9.9.9");
  });

  it("refuses a home that is a link, before it talks to whatever is behind it", async () => {
    const link = join(stage.home, "link");
    symlinkSync(stage.home, link);
    const ran = await bellhop(["send", "coder", "x", "--json"], { env: { BELLHOP_HOME: link } });
    expect(errorOf(ran).code).toBe("home.unsafe");
  });

  it("writes a megabyte to a pipe without losing any, and leaves quietly when the reader does", async () => {
    const sessions = Array.from({ length: 4_000 }, (_, index) => ({
      ...SESSION,
      headline: `${index} ${"x".repeat(400)}`,
    }));
    await serve({ ls: async () => ({ sessions }) });
    const whole = await bellhop(["ls", "--json"]);
    expect(JSON.parse(whole.stdout)).toHaveLength(4_000);
    const early = await bellhop(["ls", "--json"], { hangUp: "early" });
    expect(early.stderr).toBe("");
    expect(early.status).toBe(0);
  });

  it("never shows a stack trace unless asked to", async () => {
    await serve({ ls: async () => ({}) as never });
    const ran = await bellhop(["ls"]);
    expect(ran.status).toBe(1);
    expect(ran.stderr).not.toMatch(/\n\s+at /);
    expect((await bellhop(["ls"], { env: { BELLHOP_DEBUG: "1" } })).stderr).toMatch(/\n\s+at /);
  });

  it("shows the config and where it is wrong, without a daemon", async () => {
    const ran = await bellhop(["config", "--json"]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ exists: false, path: join(stage.home, "config.yaml") });
    writeFileSync(join(stage.home, "config.yaml"), "delivery:\n  max_bach_size: 3\n");
    const bad = await bellhop(["config", "--json"]);
    expect(bad.status).toBe(1);
    expect(errorOf(bad).message).toContain(
      'config.yaml:2: unknown key "delivery.max_bach_size": did you mean "max_batch_size"?',
    );
    expect((await bellhop(["config", "--path"])).stdout).toBe(`${join(stage.home, "config.yaml")}\n`);
    expect(() => readFileSync(join(stage.home, "started"))).toThrow();
  });

  it("hands a hook's event over where there is no curl, and fails without a daemon rather than start one", async () => {
    const event =
      '{"program":"codex","event_name":"Stop","environment":{"A_B":"c"},"payload":{"some_key":1}}';
    const absent = await bellhop(["hook"], { input: event });
    expect(absent.status).toBe(5);
    expect(() => readFileSync(join(stage.home, "started"))).toThrow();
    await serve({ hook_event: async ({ payload }) => ({ output: payload }) });
    expect(await bellhop(["hook"], { input: event })).toEqual({
      status: 0,
      stdout: '{"some_key":1}\n',
      stderr: "",
    });
    expect(request()).toMatchObject({ eventName: "Stop", program: "codex", environment: { A_B: "c" } });
  });

  it("explains itself", async () => {
    expect((await bellhop([])).stdout).toContain("never barges in");
    expect((await bellhop(["send", "--help"])).stdout).toContain('bellhop send WHO "TEXT"');
    expect((await bellhop(["help", "queue", "move"])).stdout).toContain("--before ID");
    expect((await bellhop(["--version"])).stdout).toBe(`${VERSION}\n`);
    const lost = await bellhop(["agent"]);
    expect(lost.status).toBe(2);
    expect((await bellhop(["agent", "lst"])).stderr).toContain("bellhop agent list");
  });

  it("examines the machine and the sessions", async () => {
    await serve({
      status: async () => ({ version: VERSION, pid: 1, warnings: ["a bad config"] }) as never,
      diagnose: async () => ({
        sessions: [
          {
            id: "08bc57cf",
            agent: "coder",
            program: "claude",
            hooked: false,
            transports: ["paste"],
            closed: [{ transport: "native", why: "too old" }],
            reading: "composer",
            readiness: "idle",
            because: "its composer is empty",
          },
        ],
        servers: [{ name: "default", state: "scanned" }],
      }),
    });
    const ran = await bellhop(["doctor", "--json"]);
    const { checks } = JSON.parse(ran.stdout) as {
      checks: { name: string; verdict: string; detail: string; next?: string }[];
    };
    expect(checks.find(({ name }) => name === "agent coder")).toMatchObject({
      verdict: "warn",
      detail: expect.stringContaining("native closed: too old"),
      next: expect.stringContaining("hooks install claude"),
    });
    for (const check of checks) expect(check.verdict === "ok" || check.next !== undefined).toBe(true);
    expect((await bellhop(["doctor"])).stdout).toContain("a bad config");
  });

  it.each<[string, (file: string) => void]>([
    ["compiled", () => {}],
    ["not compiled", (file) => rmSync(file)],
    ["compiled to nonsense", (file) => writeFileSync(file, "nonsense")],
    ["compiled by half", (file) => writeFileSync(file, readFileSync(file).subarray(0, 1_000))],
  ])("runs from its package, %s", async (_, change) => {
    const bin = join(stage.home, "bin");
    const dist = join(stage.home, "dist");
    mkdirSync(bin);
    copyFileSync(join(ROOT, "bin", "bellhop.cjs"), join(bin, "bellhop.cjs"));
    cpSync(stage.built, dist, { recursive: true });
    for (const file of ["bellhop.compiled", "cli-main.compiled"]) change(join(dist, file));
    await serve({ send: async () => SENT, ls: async () => ({ sessions: [] }) });
    const bellhopHere = (args: readonly string[]) =>
      run([process.execPath, join(bin, "bellhop.cjs"), ...args], stage.home);
    expect((await bellhopHere(["send", "coder", "x"])).stdout).toContain("queued #m7k2q9");
    expect(await bellhopHere(["ls", "--json"])).toEqual({ status: 0, stdout: "[]\n", stderr: "" });
    expect((await bellhopHere(["sned"])).status).toBe(2);
  });

  it("says what to do when it is not built", async () => {
    const bin = join(stage.home, "bin");
    mkdirSync(bin);
    copyFileSync(join(ROOT, "bin", "bellhop.cjs"), join(bin, "bellhop.cjs"));
    const ran = await run([process.execPath, join(bin, "bellhop.cjs"), "ls"], stage.home);
    expect(ran.status).toBe(1);
    expect(ran.stderr).toContain("npm run build");
  });
});
