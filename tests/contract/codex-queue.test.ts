import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProcessInfo } from "../../src/ports/processes.ts";
import type { ProgramFacts } from "../../src/ports/program.ts";
import { CODEX_QUEUE_LIMITS, codexQueue } from "../../src/programs/codex/inbox.ts";
import { CodexWindows } from "../../src/programs/codex/server/windows.ts";
import { codexSessions } from "../../src/programs/codex/session-registry.ts";
import type { OpenFiles, ProcessFiles } from "../../src/programs/process-files.ts";
import { programRegistry } from "../../src/programs/session-registry.ts";
import { type Answer, type CodexServer, startCodexServer } from "./codex-server.ts";
import { inboxContract } from "./inbox.ts";

const THREAD = "01a1dd30-ca5c-7923-82b1-13c6da72cbb6";
const OTHER = "01a1dd31-0000-7923-82b1-13c6da72cbb6";
const FACTS: ProgramFacts = { sessionId: "1", agentPid: 10, programSessionId: THREAD };
const never = new AbortController().signal;

let home: string;
let server: CodexServer | undefined;
let now: number;
/** By pid; the window is 11, behind its wrapper 10; the shared server is its child 12. */
let open: Record<number, OpenFiles>;
let executable: string | undefined;

beforeEach(() => {
  home = mkdtempSync("/tmp/bh-");
  now = 1_000;
  open = { 11: { paths: [], listeningPorts: [4711], listeningSockets: [] } };
  executable = undefined;
});

afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(home, { recursive: true });
});

function processInfo(pid: number, parentPid: number, argv: readonly string[]): ProcessInfo {
  return { pid, parentPid, startedAt: "x", argv, command: "codex" };
}

const clock = { monotonic: () => now };
const processes = {
  environment: async () => ({ CODEX_HOME: home, HOME: "/nowhere" }),
  tree: async () => [
    processInfo(10, 1, ["node", "codex"]),
    processInfo(11, 10, ["codex"]),
    processInfo(12, 11, ["codex", "app-server", "--listen", "unix://"]),
  ],
};

function windows(): CodexWindows {
  const files: ProcessFiles = {
    openFiles: async (pid) => open[pid] ?? { paths: [], listeningPorts: [], listeningSockets: [] },
    executable: () => executable,
  };
  return new CodexWindows({ processes, files, monotonic: () => now });
}

function inbox() {
  return codexQueue({ clock, windows: windows(), newId: () => "an-id" });
}

interface Loaded {
  readonly id: string;
  readonly port: number;
  readonly thread?: object;
}

/** The server of Codex 0.166.0, with these threads loaded. */
async function serve(
  loaded: readonly Loaded[],
  queue: Readonly<Record<string, () => Answer>> = {},
): Promise<void> {
  server = await startCodexServer(
    join(home, "app-server-control/app-server-control.sock"),
    (method, params) => {
      const found = loaded.find(({ id }) => id === params.threadId);
      const said = queue[method]?.();
      if (said !== undefined) return said;
      switch (method) {
        case "thread/loaded/list":
          return { result: { data: loaded.map(({ id }) => id), nextCursor: null } };
        case "mcpServerStatus/list": {
          const tools = {
            name: "codex_tui",
            httpOrigin: `http://127.0.0.1:${found?.port}`,
            runtimeStatus: "connected",
          };
          return { result: { data: [tools] } };
        }
        case "thread/read": {
          const thread = {
            ephemeral: false,
            threadSource: "user",
            parentThreadId: null,
            status: { type: "idle" },
          };
          return {
            result: {
              thread: { ...thread, path: `/t/${found?.id}.jsonl`, cliVersion: "0.166.0", ...found?.thread },
            },
          };
        }
        case "thread/queue/add":
          return { result: { queuedSubmission: { id: "q1" } } };
        default:
          return { error: { code: -32600, message: "queue is empty" } };
      }
    },
  );
}

inboxContract("the queue of Codex", {
  inbox,
  facts: () => FACTS,
  mostBytes: CODEX_QUEUE_LIMITS.textBytes,
  takes: async () => {
    await serve([{ id: THREAD, port: 4711 }]);
    return () =>
      (server?.calls ?? [])
        .filter(({ method }) => method === "thread/queue/add")
        .flatMap(({ params }) => (params as { input: { text: string }[] }).input.map(({ text }) => text));
  },
  breaksOff: () => serve([{ id: THREAD, port: 4711 }], { "thread/queue/add": () => "hang-up" }),
  fallsSilent: (onBegun) =>
    serve([{ id: THREAD, port: 4711 }], {
      "thread/queue/add": () => {
        onBegun();
        return "silence";
      },
    }),
});

describe("the queue of Codex, by the server that its windows share", () => {
  it("takes a text for the window's conversation, whole, and is started", async () => {
    await serve([{ id: THREAD, port: 4711 }]);
    const text = ` /x\n\t!é🙂${"y".repeat(300_000)}`;
    expect(await inbox().offers(FACTS)).toEqual({ kind: "offered" });
    expect(await inbox().handOver(FACTS, text, never)).toEqual({ kind: "handed-over", acknowledged: true });
    const queued = server?.calls.filter(({ method }) => method.startsWith("thread/queue/"));
    expect(queued).toEqual([
      {
        method: "thread/queue/add",
        params: {
          threadId: THREAD,
          input: [{ type: "text", text, text_elements: [] }],
          clientUserMessageId: "an-id",
        },
      },
      { method: "thread/queue/start", params: { threadId: THREAD, queuedSubmissionId: "q1" } },
    ]);
  });

  it("finds the window's thread among those of others, titles and sub-agents", async () => {
    await serve([
      { id: OTHER, port: 4712 },
      { id: "01a1dd32-0000-7000-8000-000000000000", port: 4711, thread: { ephemeral: true } },
      { id: "01a1dd33-0000-7000-8000-000000000000", port: 4711, thread: { parentThreadId: THREAD } },
      { id: THREAD, port: 4711 },
    ]);
    const registry = programRegistry(
      [{ name: "codex", sessions: () => codexSessions(windows(), processes) }],
      {
        clock,
        processes,
        home: "/nonexistent",
      },
    );
    expect(await registry.lookUp("codex", { pid: 10, startedAt: "x" })).toEqual({
      programSessionId: THREAD,
      transcriptPath: `/t/${THREAD}.jsonl`,
      version: "0.166.0",
    });
    expect(await inbox().offers(FACTS)).toEqual({ kind: "offered" });
  });

  it("is closed while the window has several conversations: nobody knows which one a person sees", async () => {
    await serve([
      { id: THREAD, port: 4711 },
      { id: OTHER, port: 4711 },
    ]);
    expect(await inbox().offers(FACTS)).toMatchObject({
      kind: "not-offered",
      why: expect.stringContaining("2"),
    });
    expect(await inbox().handOver(FACTS, "hi", never)).toMatchObject({ kind: "refused" });
    expect(server?.calls.some(({ method }) => method === "thread/queue/add")).toBe(false);
  });

  it("is closed for a window that has quit, though its conversation lives on in the server", async () => {
    await serve([{ id: THREAD, port: 4711 }]);
    open = {};
    expect(await inbox().offers(FACTS)).toMatchObject({ kind: "not-offered" });
  });

  it("refuses what the server refuses", async () => {
    await serve([{ id: THREAD, port: 4711 }], {
      "thread/queue/add": () => ({ error: { code: -32600, message: "no rollout found" } }),
    });
    expect(await inbox().handOver(FACTS, "hi", never)).toEqual({
      kind: "refused",
      why: "Codex refused: no rollout found",
    });
  });

  it("remembers an offer for a moment, and no longer", async () => {
    await serve([{ id: THREAD, port: 4711 }]);
    const queue = inbox();
    await queue.offers(FACTS);
    open = {};
    expect(await queue.offers(FACTS)).toEqual({ kind: "offered" });
    now += CODEX_QUEUE_LIMITS.offerMs;
    expect(await queue.offers(FACTS)).toMatchObject({ kind: "not-offered" });
  });

  it("understands answers in many frames with pings between", async () => {
    await serve([{ id: THREAD, port: 4711, thread: { preview: "é🙂".repeat(500) } }]);
    server?.fragment(7);
    expect(await inbox().offers(FACTS)).toEqual({ kind: "offered" });
  });

  it("is closed when something else listens there", async () => {
    mkdirSync(join(home, "app-server-control"));
    const socket = join(home, "app-server-control/app-server-control.sock");
    const other = createServer((connection) => {
      connection
        .on("error", () => "gone")
        .resume()
        .end("HTTP/1.1 200 OK\r\n\r\nhello");
    });
    await new Promise<void>((resolve) => other.listen(socket, resolve));
    expect(await inbox().offers(FACTS)).toMatchObject({ kind: "not-offered" });
    await new Promise((resolve) => other.close(resolve));
  });
});

describe("the queue of Codex, for a window without the shared server", () => {
  const lock = (id: string) => join(home, "thread-writer-locks", `${id}.lock`);
  const rollout = (id: string) =>
    join(home, "sessions/2026/11/15", `rollout-2026-11-15T03-12-54-${id}.jsonl`);

  /** A program that speaks the protocol of `codex app-server` and records its requests. */
  function scriptedCodex(): string {
    const path = join(home, "codex");
    writeFileSync(
      path,
      `#!${process.execPath}
const { appendFileSync } = require("node:fs");
appendFileSync(process.env.CODEX_HOME + "/argv", process.argv.slice(2).join(" "));
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "thread/queue/add") appendFileSync(process.env.CODEX_HOME + "/queued", JSON.stringify(params));
  console.log(JSON.stringify({ id, result: { queuedSubmission: { id: "q1" } } }));
});`,
    );
    chmodSync(path, 0o755);
    return path;
  }

  it("takes a text through a server of our own, never by its command line", async () => {
    open = { 11: { paths: [lock(THREAD), rollout(THREAD)], listeningPorts: [4711], listeningSockets: [] } };
    executable = scriptedCodex();
    expect(await inbox().offers(FACTS)).toEqual({ kind: "offered" });
    expect(await inbox().handOver(FACTS, "a secret", never)).toEqual({
      kind: "handed-over",
      acknowledged: true,
    });
    expect(readFileSync(join(home, "argv"), "utf8")).toBe("app-server");
    expect(JSON.parse(readFileSync(join(home, "queued"), "utf8"))).toMatchObject({
      threadId: THREAD,
      input: [{ text: "a secret" }],
    });
  });

  it.each([
    ["has had no prompt yet", () => [lock(THREAD)], "/bin/true"],
    [
      "has several conversations",
      () => [lock(THREAD), rollout(THREAD), lock(OTHER), rollout(OTHER)],
      "/bin/true",
    ],
    ["runs a program that is not known", () => [lock(THREAD), rollout(THREAD)], undefined],
  ])("is closed while the window %s", async (_, paths, program) => {
    open = { 11: { paths: paths(), listeningPorts: [], listeningSockets: [] } };
    executable = program;
    expect(await inbox().offers(FACTS)).toMatchObject({ kind: "not-offered" });
  });

  it("refuses when the program does not start", async () => {
    open = { 11: { paths: [lock(THREAD), rollout(THREAD)], listeningPorts: [], listeningSockets: [] } };
    executable = join(home, "no such program");
    expect(await inbox().handOver(FACTS, "hi", never)).toMatchObject({ kind: "refused" });
  });

  it("is told apart by the locks that the window holds", async () => {
    open = { 11: { paths: [lock(THREAD), rollout(THREAD)], listeningPorts: [], listeningSockets: [] } };
    const registry = programRegistry(
      [{ name: "codex", sessions: () => codexSessions(windows(), processes) }],
      {
        clock,
        processes,
        home: "/nonexistent",
      },
    );
    expect(await registry.lookUp("codex", { pid: 10, startedAt: "x" })).toEqual({
      programSessionId: THREAD,
      transcriptPath: rollout(THREAD),
      alone: true,
    });
  });
});
