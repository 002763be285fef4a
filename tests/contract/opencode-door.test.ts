/** The socket that our plugin opens in an OpenCode window, and who may be believed to be that window. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProcessInfo } from "../../src/ports/processes.ts";
import type { ProgramFacts } from "../../src/ports/program.ts";
import { OPENCODE_INBOX_LIMITS, opencodeInbox } from "../../src/programs/opencode/inbox.ts";
import { opencodeSessions } from "../../src/programs/opencode/session-registry.ts";
import { OpencodeWindows } from "../../src/programs/opencode/window/windows.ts";
import { processFilesOn } from "../../src/programs/process-files.ts";
import { inboxContract } from "./inbox.ts";

let home: string;
let server: Server | undefined;
const sockets: Socket[] = [];
const never = new AbortController().signal;

beforeEach(() => {
  home = mkdtempSync("/tmp/bh-");
  mkdirSync(join(home, "run"));
});
afterEach(async () => {
  const listening = server;
  server = undefined;
  for (const socket of sockets.splice(0)) socket.destroy();
  if (listening !== undefined) await new Promise((resolve) => listening.close(resolve));
  rmSync(home, { recursive: true });
});

const process1 = (pid: number): ProcessInfo => ({
  pid,
  parentPid: 1,
  startedAt: "1",
  argv: ["opencode"],
  command: "opencode",
});
/** Where no package tells which release it is. */
const processes = { tree: async () => [] };
/** The window is this process, or a child of `agentPid`. */
const windows = (tree: readonly number[] = [process.pid]) =>
  new OpencodeWindows({
    processes: { tree: async () => tree.map(process1) },
    files: processFilesOn(process.platform),
    home,
  });
const facts = (): ProgramFacts => ({ sessionId: "1", agentPid: process.pid });
const doorOf = (pid: number) => join(home, "run", `oc-${pid}`);

type Answer = (question: { readonly prompt?: string }) => object | string | undefined;

async function listen(answer: Answer, onBegun?: (socket: Socket) => void): Promise<void> {
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => "the peer is gone");
    let text = "";
    socket.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      if (onBegun !== undefined && text.includes('"prompt"')) return onBegun(socket);
      if (!text.endsWith("\n")) return;
      const said = answer(JSON.parse(text));
      if (said !== undefined) socket.end(typeof said === "string" ? said : `${JSON.stringify(said)}\n`);
    });
  });
  const listening = server;
  await new Promise<void>((resolve) => listening.listen(doorOf(process.pid), resolve));
}

const STATE = {
  version: "1.18.18",
  session_id: "ses_1",
  is: "busy",
  since: 42,
  transcript_path: "/db#ses_1",
};

async function takesEverything(): Promise<() => readonly string[]> {
  const received: string[] = [];
  await listen(({ prompt }) => {
    if (prompt === undefined) return STATE;
    received.push(prompt);
    return { taken: "ses_1" };
  });
  return () => received;
}

inboxContract("the door of OpenCode", {
  inbox: () => opencodeInbox(windows()),
  facts,
  mostBytes: OPENCODE_INBOX_LIMITS.textBytes,
  takes: takesEverything,
  breaksOff: () =>
    listen(
      () => STATE,
      (socket) => socket.destroy(),
    ),
  fallsSilent: (onBegun) => listen(() => STATE, onBegun),
});

describe("the door of OpenCode", () => {
  const inbox = () => opencodeInbox(windows());

  it("says that it has taken a text, and is asked which conversation it shows", async () => {
    await takesEverything();
    expect(await inbox().handOver(facts(), "hi", never)).toEqual({ kind: "handed-over", acknowledged: true });
    const agent = { pid: process.pid, startedAt: "1" };
    expect(await opencodeSessions(windows(), processes).lookUp(agent)).toEqual({
      inboxPath: doorOf(process.pid),
      version: "1.18.18",
      programSessionId: "ses_1",
      transcriptPath: "/db#ses_1",
      status: { is: "busy", at: 42 },
    });
    expect(await opencodeSessions(windows(), processes).note?.(agent)).toEqual({ is: "busy", at: 42 });
  });

  it("is closed while the window says so, and a refusal is one: nothing was handed over", async () => {
    await listen(({ prompt }) =>
      prompt === undefined
        ? { version: "1.18.18", closed: "somebody writes" }
        : { refused: "somebody writes" },
    );
    expect(await inbox().offers(facts())).toEqual({ kind: "not-offered", why: "somebody writes" });
    expect(await inbox().handOver(facts(), "hi", never)).toEqual({ kind: "refused", why: "somebody writes" });
    expect(
      await opencodeSessions(windows(), processes).note?.({ pid: process.pid, startedAt: "1" }),
    ).toBeUndefined();
  });

  it.each(["{}\n", "nonsense\n", "[]\n", '{"taken":', `${"x".repeat(100_000)}\n`])(
    "does not know what became of a text that was answered with %.20s",
    async (said) => {
      await listen(({ prompt }) => (prompt === undefined ? STATE : said));
      expect(await inbox().handOver(facts(), "hi", never)).toMatchObject({ kind: "unknown" });
    },
  );

  it("is found behind a wrapper, whose child is the window", async () => {
    await takesEverything();
    expect(await windows([1, process.pid]).socketOf(1)).toBe(doorOf(process.pid));
  });

  it("is found where Bellhop's home is reached by a link, which OpenCode does not know of", async () => {
    await takesEverything();
    const link = `${home}-link`;
    symlinkSync(home, link);
    try {
      const linked = new OpencodeWindows({
        processes: { tree: async () => [process1(process.pid)] },
        files: processFilesOn(process.platform),
        home: link,
      });
      const path = join(link, "run", `oc-${process.pid}`);
      expect(await linked.socketOf(process.pid)).toBe(path);
      expect(await opencodeInbox(linked).handOver(facts(), "hi", never)).toMatchObject({
        kind: "handed-over",
      });
    } finally {
      rmSync(link);
    }
  });

  it("is not believed in where another process listens", async () => {
    await takesEverything();
    const other = spawn("/bin/sleep", ["60"], { stdio: "ignore" });
    await once(other, "spawn");
    const pid = other.pid ?? 0;
    try {
      await new Promise<void>((resolve) => {
        const theirs = createServer();
        sockets.push({ destroy: () => theirs.close() } as unknown as Socket);
        theirs.listen(doorOf(pid), resolve);
      });
      expect(await windows([pid]).socketOf(pid)).toBeUndefined();
    } finally {
      other.kill("SIGKILL");
      await once(other, "exit");
    }
  });

  it("is not a file", async () => {
    writeFileSync(doorOf(process.pid), "");
    chmodSync(doorOf(process.pid), 0o600);
    expect(await windows().socketOf(process.pid)).toBeUndefined();
    expect(await inbox().offers(facts())).toMatchObject({
      kind: "not-offered",
      why: expect.stringContaining("bellhop hooks install opencode"),
    });
  });
});
