/** The daemon without a file descriptor left: it keeps running, loses nothing, says so, and recovers. */
import { type ChildProcess, execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Client } from "../../src/client/connect.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";

const claims = { user: "dev" };
const PLENTY = 4_096;

let tmux: TmuxServer;
let bellhop: Bellhop;
let daemon: ChildProcess;
/** Opened before descriptors run out. */
let client: Client;

beforeEach(async () => {
  tmux = startTmuxServer();
  await startScriptedAgent({ tmux, name: "coder" });
  bellhop = new Bellhop({ config: `${SCRIPTED_PROFILE}\ntmux: { servers: ["${tmux.socket}"] }\n` });
  daemon = await bellhop.start();
  client = await bellhop.client();
  await until(
    async () => (await client.call("ls", {})).sessions.some(({ agent: name }) => name === "coder"),
    "coder",
  );
  await client.call("agent_add", { name: "reader" });
  // A connection with a pending request is kept; an idle one would be closed.
  const { messageId } = await send("to be waited for");
  client.call("wait", { id: messageId, state: "read", timeoutMs: 600_000 }).catch(() => {});
});
afterEach(async () => {
  await bellhop.dispose();
  await tmux.kill();
});

function limit(descriptors: number): void {
  execFileSync("prlimit", ["--pid", String(daemon.pid), `--nofile=${descriptors}:`]);
}

/** The lowest descriptor that it has not opened: as a limit, it leaves none. */
function noneLeft(): number {
  const open = new Set(readdirSync(`/proc/${daemon.pid}/fd`).map(Number));
  let lowest = 0;
  while (open.has(lowest)) lowest += 1;
  return lowest;
}

/** Ends its control connections to tmux, so that it must start others. */
async function detachAll(): Promise<void> {
  const clients = (await tmux.run("list-clients", "-F", "#{client_name}"))
    .split("\n")
    .filter((name) => name !== "");
  for (const client of clients) await tmux.run("detach-client", "-t", client).catch(() => {});
}

const trouble = async () => (await client.call("status", {})).trouble.map(({ code }) => code);
const send = (body: string) => client.call("send", { to: "reader", body, claims });
/** Its answer, or the reason that it gives for having none. */
const either = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: { readonly code?: string }) => error.code ?? String(error),
  );

/** Connects, is served or refused, and disconnects. */
function knock(): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(bellhop.socket);
    socket.on("error", () => {});
    socket.on("close", () => resolve());
    socket.on("data", () => socket.destroy());
    socket.write('{"type":"status"}\n');
  });
}

it("survives with none, with a few, and with any number between, on every way that opens something", async () => {
  const accepted: string[] = [];
  const answers = new Set<string>();
  limit(noneLeft());
  await until(async () => (await trouble()).includes("daemon.out_of_files"), "status to tell of it");
  // What it had kept back is free now; from here on we take that as well, one by one fewer or more.
  for (const free of [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12]) {
    limit(noneLeft() + free);
    for (const body of ["short", "x".repeat(50_000)]) {
      const outcome = await either(send(`${body} ${free}`).then(({ messageId }) => accepted.push(messageId)));
      answers.add(outcome);
    }
    await detachAll();
    writeFileSync(join(bellhop.home, "spool", `${Date.now()}-${free}.json`), hookEvent(free));
    answers.add(
      await either(
        client.call("run", {
          command: ["cat"],
          folder: tmux.folder,
          name: `t${free}`,
          environment: { PATH: process.env.PATH ?? "" },
          claims,
        }),
      ),
    );
    answers.add(await either(client.call("ls", {})));
    answers.add(await either(client.call("peek", { who: "coder" })));
    await Promise.all([knock(), knock(), knock()]);
    expect([free, daemon.exitCode, daemon.signalCode]).toEqual([free, null, null]);
    expect((await client.call("status", {})).running).toBe(true);
  }
  const log = readFileSync(join(bellhop.home, "logs", "bellhop.log"), "utf8").split("\n");
  expect(log.filter((line) => /door\.bug|crashed/.test(line))).toEqual([]);
  expect(answers).toContain("daemon.out_of_files");

  limit(PLENTY);
  await until(async () => (await trouble()).length === 0, "the trouble to be over");
  for (const id of accepted) expect((await client.call("show", { id })).deliveries[0]?.state).toBe("queued");
  expect(accepted.length).toBe(22);
  // Everything works again without a restart: scans, hosted terminals, doors, the spool.
  await until(
    async () => (await client.call("ls", {})).sessions.some(({ agent: name }) => name === "coder"),
    "coder",
  );
  await client.call("run", {
    command: ["cat"],
    folder: tmux.folder,
    name: "after",
    environment: { PATH: process.env.PATH ?? "" },
    claims,
  });
  expect((await bellhop.run(["status"])).stdout).not.toContain("descriptor");
});

function hookEvent(number: number): string {
  return JSON.stringify({
    event_name: "Stop",
    program: "claude",
    emitted_at: Date.now(),
    payload: { session_id: `s-${number}` },
    environment: {},
  });
}
