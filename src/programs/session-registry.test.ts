import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProcessInfo } from "../ports/processes.ts";
import { claude } from "./claude/program.ts";
import type { CodexWindow } from "./codex/server/windows.ts";
import { codexSessions } from "./codex/session-registry.ts";
import { opencodeSessions } from "./opencode/session-registry.ts";
import { programRegistry } from "./session-registry.ts";

const AGENT = { pid: 4242, startedAt: "0b9c5659:38226" };
const SOCKET = "/tmp/cc-socks/4242.sock";

let home: string;
let environment: Record<string, string>;
let tree: ProcessInfo[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "bh-registry-"));
  environment = { HOME: home };
  tree = [];
  mkdirSync(join(home, ".claude/sessions"), { recursive: true });
});

afterEach(() => {
  rmSync(home, { recursive: true });
});

function lookUp(program = "claude", agent = AGENT, windows?: CodexWindow | Error) {
  const processes = {
    environment: async (_: number, names: readonly string[]) =>
      Object.fromEntries(Object.entries(environment).filter(([name]) => names.includes(name))),
    tree: async () => tree,
  };
  const find = async () => {
    if (windows instanceof Error) throw windows;
    return windows;
  };
  const codex = { name: "codex", sessions: () => codexSessions({ find }, processes) };
  return programRegistry([claude, codex], { clock: { monotonic: () => 0 }, processes, home: "" }).lookUp(
    program,
    agent,
  );
}

/** As Claude Code 2.1.325 writes it. */
const SESSION = {
  pid: 4242,
  sessionId: "490d65e6-0000-4000-8000-000000000000",
  cwd: "/home/dev/my repo_é.x",
  startedAt: 1794709160966,
  procStart: "38226",
  version: "2.1.325",
  peerProtocol: 1,
  kind: "interactive",
  tmux: "a:@0.%0",
  messagingSocketPath: SOCKET,
  status: "idle",
  updatedAt: 1794709161092,
  statusUpdatedAt: 1794709161092,
};

/** As Claude Code 2.1.150 writes it. */
const SESSION_OF_150 = {
  pid: 4242,
  sessionId: "f83d34ca-0000-4000-8000-000000000000",
  cwd: "/home/dev/coder",
  startedAt: 1794809672765,
  procStart: "38226",
  version: "2.1.150",
  peerProtocol: 1,
  kind: "interactive",
  entrypoint: "cli",
  status: "busy",
  updatedAt: 1794809730567,
};

function put(session: object, folder = ".claude/sessions"): void {
  writeFileSync(join(home, folder, "4242.json"), JSON.stringify(session));
}

function putKey(key: object): void {
  const name = `4242.${createHash("sha256").update(SOCKET).digest("hex")}.key`;
  writeFileSync(join(home, ".claude/sessions", name), JSON.stringify(key));
}

describe("the registry of Claude Code", () => {
  it("tells conversation, version, inbox and state", async () => {
    put(SESSION);
    putKey({ peerToken: "0123456789abcdef", procStart: "38226" });
    expect(await lookUp()).toEqual({
      programSessionId: SESSION.sessionId,
      version: "2.1.325",
      inboxPath: SOCKET,
      inboxToken: "0123456789abcdef",
      status: { is: "idle", at: 1794709161092 },
      editing: "plain",
    });
  });

  it("tells the session file once there is one", async () => {
    put(SESSION);
    const folder = join(home, ".claude/projects/-home-dev-my-repo---x");
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${SESSION.sessionId}.jsonl`);
    writeFileSync(file, "");
    expect(await lookUp()).toMatchObject({ transcriptPath: file });
  });

  it.each([
    ["idle", "idle"],
    ["shell", "idle"],
    ["busy", "busy"],
    ["waiting", "waiting"],
    ["dreaming", undefined],
  ])("reads the state %s as %s", async (status, is) => {
    put({ ...SESSION, status });
    expect((await lookUp())?.status?.is).toBe(is);
  });

  it("reads the state where its time goes by the older name", async () => {
    put(SESSION_OF_150);
    expect((await lookUp())?.status).toEqual({ is: "busy", at: 1794809730567 });
  });

  it("goes by the time of the state where the note has been touched since", async () => {
    put({ ...SESSION, updatedAt: SESSION.statusUpdatedAt + 9_000 });
    expect((await lookUp())?.status).toEqual({ is: "idle", at: SESSION.statusUpdatedAt });
  });

  it("takes no state without a time", async () => {
    put({ ...SESSION, updatedAt: undefined, statusUpdatedAt: undefined });
    expect(await lookUp()).not.toHaveProperty("status");
    put({ ...SESSION, updatedAt: "1794709161092", statusUpdatedAt: undefined });
    expect(await lookUp()).not.toHaveProperty("status");
  });

  it("knows nothing of a process that is not the one that wrote the file", async () => {
    put(SESSION);
    expect(await lookUp("claude", { ...AGENT, startedAt: "0b9c5659:99999" })).toBeUndefined();
    put({ ...SESSION, pid: 1 });
    expect(await lookUp()).toBeUndefined();
  });

  it("takes the pid's word where start times cannot be compared", async () => {
    put(SESSION);
    expect(await lookUp("claude", { ...AGENT, startedAt: "Sun Nov 15 02:49:31 2026" })).toBeDefined();
  });

  it("offers no inbox that speaks another protocol, and no key of another process", async () => {
    put({ ...SESSION, peerProtocol: 2 });
    expect(await lookUp()).not.toHaveProperty("inboxPath");
    put(SESSION);
    putKey({ peerToken: "0123456789abcdef", procStart: "1" });
    expect(await lookUp()).not.toHaveProperty("inboxToken");
  });

  it("looks where CLAUDE_CONFIG_DIR points", async () => {
    mkdirSync(join(home, "other/sessions"), { recursive: true });
    put(SESSION, "other/sessions");
    expect(await lookUp()).toBeUndefined();
    environment.CLAUDE_CONFIG_DIR = join(home, "other");
    expect(await lookUp()).toBeDefined();
  });

  it.each([
    "",
    "{",
    "[]",
    "null",
    '"x"',
    '{"pid":4242}',
    '{"pid":4242,"sessionId":7,"version":null,"status":{}}',
  ])("survives %j in the file", async (text) => {
    writeFileSync(join(home, ".claude/sessions/4242.json"), text);
    expect((await lookUp())?.programSessionId).toBeUndefined();
  });

  it("knows nothing without the environment of the process", async () => {
    put(SESSION);
    environment = {};
    expect(await lookUp()).toBeUndefined();
  });
});

describe("the registry of Codex", () => {
  const thread = (id: string, lastTurnAt = 0, running = false) => ({ id, lastTurnAt, running });
  const window = (...threads: CodexWindow["threads"]): CodexWindow => ({
    home: "/home/dev/.codex",
    threads,
    server: { kind: "shared", socket: "/s" },
  });
  // Created one second apart.
  const FIRST = "01a1dd30-0000-7000-8000-000000000000";
  const SECOND = "01a1dd30-03e8-7000-8000-000000000000";

  it("tells the one conversation of a window", async () => {
    const only = { ...thread(FIRST), transcriptPath: "/t.jsonl", version: "0.166.0" };
    expect(await lookUp("codex", AGENT, window(only))).toEqual({
      programSessionId: FIRST,
      transcriptPath: "/t.jsonl",
      version: "0.166.0",
    });
  });

  it("takes the one that runs, else the one that was last opened or worked in", async () => {
    const id = async (...threads: CodexWindow["threads"]) =>
      (await lookUp("codex", AGENT, window(...threads)))?.programSessionId;
    expect(await id(thread(FIRST), thread(SECOND))).toBe(SECOND);
    expect(await id(thread(FIRST, 2_000_000_000), thread(SECOND))).toBe(FIRST);
    expect(await id(thread(FIRST, 2_000_000_000), thread(SECOND, 0, true))).toBe(SECOND);
  });

  it("knows the release of a window without a conversation from the package that was installed", async () => {
    const folder = join(home, "lib/@openai/codex");
    mkdirSync(join(folder, "bin"), { recursive: true });
    writeFileSync(join(folder, "bin/codex.js"), "");
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ name: "@openai/codex", version: "0.166.0" }),
    );
    const argv = ["node", join(folder, "bin/codex.js")];
    tree = [{ ...AGENT, parentPid: 1, argv, command: "node" }];
    expect(await lookUp("codex", AGENT, undefined)).toEqual({ version: "0.166.0" });
    expect(await lookUp("codex", AGENT, window(thread(FIRST)))).toMatchObject({ version: "0.166.0" });
    const told = { ...thread(FIRST), version: "0.160.1" };
    expect(await lookUp("codex", AGENT, window(told))).toMatchObject({ version: "0.160.1" });
  });

  it("knows the conversation also where the package is not there any more", async () => {
    tree = [{ ...AGENT, parentPid: 1, argv: ["node", join(home, "gone/codex.js")], command: "node" }];
    expect(await lookUp("codex", AGENT, window(thread(FIRST)))).toEqual({ programSessionId: FIRST });
  });

  it("knows nothing when Codex does not tell", async () => {
    expect(await lookUp("codex", AGENT, undefined)).toBeUndefined();
    expect(await lookUp("codex", AGENT, new Error("gone"))).toBeUndefined();
  });
});

it("knows nothing of other programs", async () => {
  expect(await lookUp("vim")).toBeUndefined();
});

describe("looking up OpenCode", () => {
  it("knows the release of a window without our plugin from the package that was installed", async () => {
    const folder = join(home, "lib/opencode-ai");
    mkdirSync(join(folder, "bin"), { recursive: true });
    writeFileSync(join(folder, "bin/opencode"), "");
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "opencode-ai", version: "1.18.18" }));
    const argv = [join(folder, "bin/opencode")];
    const processes = { tree: async () => [{ ...AGENT, parentPid: 1, argv, command: "opencode" }] };
    const without = opencodeSessions({ state: async () => undefined }, processes);
    expect(await without.lookUp(AGENT)).toEqual({ version: "1.18.18" });
    const told = { socket: "/tmp/oc-1", version: "1.18.15" };
    expect(await opencodeSessions({ state: async () => told }, processes).lookUp(AGENT)).toEqual({
      inboxPath: "/tmp/oc-1",
      version: "1.18.15",
    });
    const unknown = opencodeSessions({ state: async () => undefined }, { tree: async () => [] });
    expect(await unknown.lookUp(AGENT)).toBeUndefined();
  });
});
