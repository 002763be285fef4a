/** A real full disk under the built daemon: a file system of a few megabytes in its own namespace. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connect } from "../../src/client/connect.ts";
import { expectDeclared } from "./http-daemon.ts";
import { askHttp } from "./http-harness.ts";

const daemon = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), "dist", "start-daemon.cjs");
const MOUNT =
  'mount -t tmpfs -o size=12m,mode=700 small "$BELLHOP_HOME" && mkdir -m 700 "$BELLHOP_HOME/logs"';
const CONFIG = 'printf "http: { port: 0 }\\n" > "$BELLHOP_HOME/config.yaml"';

let mountPoint: string;
let child: ChildProcess;
/** The home as the daemon sees it, seen from here. */
let home: string;
let said = "";

beforeAll(async () => {
  mountPoint = mkdtempSync(join(tmpdir(), "bh-"));
  child = spawn(
    "unshare",
    ["-rm", "sh", "-c", `${MOUNT} && ${CONFIG} && exec "$0" "$1"`, process.execPath, daemon],
    {
      env: { PATH: process.env.PATH, HOME: mountPoint, BELLHOP_HOME: mountPoint, TMUX_TMPDIR: mountPoint },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  home = join("/proc", String(child.pid), "root", mountPoint);
  for (;;) {
    if (child.exitCode !== null) throw new Error(`no namespace, or no daemon in it: ${said}`);
    const answer = await askHttp({ socketPath: join(home, "run", "http.sock") }, {}).catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
});
afterAll(async () => {
  const ended = once(child, "exit");
  if (child.exitCode === null && child.kill()) await ended;
  rmdirSync(mountPoint);
});

async function ask(method: string, path: string, body?: object) {
  const answer = await askHttp(
    { socketPath: join(home, "run", "http.sock") },
    {
      method,
      path,
      headers: { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
  );
  const told = JSON.parse(answer.text);
  expectDeclared(method, path, answer.status, told);
  return { status: answer.status, body: told };
}

it("answers 507 when the disk is full, keeps what it had accepted, and goes on when there is room", async () => {
  const client = await connect(join(home, "run", "bellhop.sock"));
  await client.call("agent_add", { name: "api" });
  client.close();
  const ballast = join(home, "ballast");
  writeFileSync(ballast, Buffer.alloc(3 * 1024 * 1024));

  const accepted: string[] = [];
  let refused: Awaited<ReturnType<typeof ask>>;
  do {
    refused = await ask("POST", "/sessions/api/send", { text: "x".repeat(200_000) });
    if (refused.status === 200) accepted.push(refused.body.message_id);
  } while (refused.status === 200 && accepted.length < 100);
  expect(refused).toMatchObject({ status: 507, body: { error: { code: "store.disk_full" } } });
  expect(accepted.length).toBeGreaterThan(0);

  const waiting = async () => {
    const { body } = await ask("GET", "/sessions/api/send-queue");
    return body.pending_messages.map((message: { id: string }) => message.id);
  };
  expect(await waiting()).toEqual(accepted);
  rmSync(ballast);
  const again = await ask("POST", "/sessions/api/send", { text: "there is room again" });
  expect(again.status).toBe(200);
  expect(await waiting()).toEqual([...accepted, again.body.message_id]);
});
