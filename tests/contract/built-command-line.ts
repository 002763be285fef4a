/** The command line as users run it: bundled, in a separate process, with its own home. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  /** Closes the reading end after the first bytes. */
  readonly hangUp?: "early";
}

/** Inside node_modules, so that the bundle finds the dependencies it leaves out. */
export function buildCommandLine(): { readonly folder: string; remove(): void } {
  const folder = join(ROOT, "node_modules", ".cache", `bellhop-test-${process.pid}`);
  mkdirSync(dirname(folder), { recursive: true });
  execFileSync(process.execPath, ["scripts/build.mjs", "--only", "command-line", "--out", folder], {
    cwd: ROOT,
  });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function privateHome(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "bh-cli-"));
  for (const folder of ["run", "logs", "messages", "spool"]) mkdirSync(join(path, folder), { mode: 0o700 });
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function run(command: readonly string[], home: string, options: RunOptions = {}): Promise<Ran> {
  const [program = "", ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: {
        PATH: process.env.PATH ?? "",
        HOME: home,
        USER: "dev",
        TZ: "UTC",
        BELLHOP_HOME: home,
        ...options.env,
      },
      stdio: "pipe",
      timeout: 60_000,
    });
    const said: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
    child.stdout.on("data", (chunk: Buffer) => {
      said.stdout.push(chunk);
      if (options.hangUp === "early") child.stdout.destroy();
    });
    child.stderr.on("data", (chunk: Buffer) => said.stderr.push(chunk));
    child.stdin.on("error", () => {});
    child.stdin.end(options.input);
    child.once("error", reject);
    child.once("close", (status) =>
      resolve({
        status,
        stdout: Buffer.concat(said.stdout).toString("utf8"),
        stderr: Buffer.concat(said.stderr).toString("utf8"),
      }),
    );
  });
}

/** Takes the place of the daemon's bundle: answers `status` and `stop`, or fails as the test says. */
export function writeStubDaemon(folder: string): void {
  writeFileSync(
    join(folder, "start-daemon.cjs"),
    `const { createServer } = require("node:net");
const { appendFileSync } = require("node:fs");
const home = process.env.BELLHOP_HOME;
appendFileSync(home + "/started", JSON.stringify({ pid: process.pid, session: process.env.CLAUDE_CODE_SESSION_ID ?? null }) + "\\n");
if (process.env.STUB_FAILS) {
  process.stderr.write(process.env.STUB_FAILS + "\\n");
  process.exit(1);
}
const server = createServer((socket) => {
  socket.on("error", () => {});
  socket.on("data", (data) => {
    for (const line of data.toString().split("\\n").filter(Boolean)) {
      const { type, req_id } = JSON.parse(line);
      const result = type === "status"
        ? { running: true, pid: process.pid, version: "9.9.9", home, socket: "s", http: { host: "127.0.0.1", port: 1 }, token_file: "t", sessions: 0, queued: 0, started_at: 1, warnings: [] }
        : type === "ls" ? { sessions: [] } : { stopping: true };
      socket.write(JSON.stringify({ ok: true, req_id, version: "9.9.9", result }) + "\\n");
      if (type === "stop") setTimeout(() => process.exit(0), 10);
    }
  });
});
server.listen(home + "/run/bellhop.sock");
setTimeout(() => process.exit(0), 60_000).unref();
`,
  );
}
