/**
 * A person at a terminal who runs the built `bellhop attach`: a real PTY whose output is drawn by a screen model, a real
 * host process with a real program, and a daemon that says what the test wants.
 */

import { type ChildProcess, execFileSync, spawn as spawnChild } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { Screen } from "../../src/core/readiness/screen.ts";
import { systemClock } from "../../src/system/clock.ts";
import { HostLink } from "../../src/terminals/pty/host-link.ts";
import type { HostRecord, HostSpec } from "../../src/wire/host/host.ts";
import { AttachedPerson, type WindowSize } from "../rig/attached-person.ts";
import { until } from "../rig/scripted-agent.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** As it is installed: `bin` next to `dist`, inside node_modules so that the bundles find the packages they leave out. */
function buildBellhop(): { readonly folder: string; remove(): void } {
  const folder = join(ROOT, "node_modules", ".cache", `bellhop-attach-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  execFileSync(process.execPath, ["scripts/build.mjs", "--out", join(folder, "dist")], { cwd: ROOT });
  cpSync(join(ROOT, "bin"), join(folder, "bin"), { recursive: true });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** `npm test` installs what is missing. */
export function requireProgram(name: string): void {
  const folders = (process.env.PATH ?? "").split(delimiter);
  if (!isAbsolute(name) && !folders.some((folder) => existsSync(join(folder, name))))
    throw new Error(`${name} is not installed, and nothing is shown without it: install it.`);
}

export class HostedProgram {
  readonly process: ChildProcess;
  readonly record: HostRecord;
  readonly #link: HostLink;

  private constructor(process: ChildProcess, record: HostRecord) {
    this.process = process;
    this.record = record;
    this.#link = new HostLink(record, systemClock);
  }

  static async start(entry: string, spec: HostSpec): Promise<HostedProgram> {
    const child = spawnChild(process.execPath, [entry], { stdio: ["pipe", "ignore", "inherit"] });
    child.stdin?.end(JSON.stringify(spec));
    await until(
      () => existsSync(spec.record),
      () => "the host wrote no record",
    );
    return new HostedProgram(child, JSON.parse(readFileSync(spec.record, "utf8")) as HostRecord);
  }

  async screen(): Promise<Screen> {
    const answer = await this.#link.ask({ type: "read", packed: true });
    if (typeof answer === "string" || answer.type !== "screen")
      throw new Error(`no screen: ${String(answer)}`);
    return answer.screen;
  }

  async announce(text: string): Promise<void> {
    await this.#link.ask({ type: "announce", text });
  }

  async close(): Promise<void> {
    this.#link.close();
    const ended = this.process.exitCode !== null || this.process.signalCode !== null;
    const exit = ended ? undefined : once(this.process, "exit");
    this.process.kill("SIGKILL");
    try {
      process.kill(this.record.programPid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
    await exit;
  }
}

/** Answers like a daemon: where the host is, the state of the agent, what became of a message. */
export class ScriptedDaemon {
  readonly asked: Record<string, unknown>[] = [];
  readonly #path: string;
  readonly #sockets = new Set<Socket>();
  readonly #watchers = new Map<Socket, unknown>();
  #server: Server | undefined;
  #session: Record<string, unknown>;
  answers: Record<string, (request: Record<string, unknown>) => Record<string, unknown>> = {};

  constructor(path: string, session: Record<string, unknown>) {
    this.#path = path;
    this.#session = session;
  }

  async open(): Promise<void> {
    const server = createServer((socket) => this.#serve(socket));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#path, resolve));
  }

  /** As after a SIGKILL: nobody listens, and the socket's file stays. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#watchers.clear();
    await new Promise<void>((resolve) => (this.#server ?? createServer()).close(() => resolve()));
    rmSync(this.#path, { force: true });
  }

  show(change: Record<string, unknown>): void {
    this.#session = { ...this.#session, ...change };
    for (const [socket, id] of this.#watchers) this.#push(socket, id);
  }

  #push(socket: Socket, id: unknown): void {
    socket.write(`${JSON.stringify({ type: "push", req_id: id, session: this.#session })}\n`);
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#sockets.delete(socket);
      this.#watchers.delete(socket);
    });
    let rest = "";
    socket.on("data", (chunk) => {
      const lines = (rest + chunk.toString("utf8")).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#answer(socket, JSON.parse(line) as Record<string, unknown>);
    });
  }

  #answer(socket: Socket, request: Record<string, unknown>): void {
    this.asked.push(request);
    const { type, req_id } = request;
    const result = this.answers[String(type)]?.(request) ?? {};
    const answer = "error" in result ? { ok: false, error: result.error } : { ok: true, result };
    socket.write(`${JSON.stringify({ ...answer, req_id, version: "0.1.0" })}\n`);
    if (type !== "follow" || "error" in result) return;
    this.#watchers.set(socket, req_id);
    this.#push(socket, req_id);
  }
}

export class AttachStage {
  readonly home = mkdtempSync(join(tmpdir(), "bh-at-"));
  readonly #built: string;
  readonly #closers: (() => unknown)[] = [];
  readonly daemon: ScriptedDaemon;
  #started = 0;
  #seats = 0;

  constructor(built: string) {
    this.#built = built;
    for (const folder of ["run", "hosts", "logs"]) mkdirSync(join(this.home, folder), { mode: 0o700 });
    this.daemon = new ScriptedDaemon(join(this.home, "run", "bellhop.sock"), {
      agent: "coder",
      session_id: "0badcafe",
      readiness: "idle",
      paused: false,
      deliveries: [],
      drafts: [],
    });
  }

  async host(command: readonly string[], size: WindowSize = { cols: 80, rows: 22 }): Promise<HostedProgram> {
    this.#started += 1;
    const name = `h${this.#started}`;
    const host = await HostedProgram.start(join(this.#built, "dist", "host.cjs"), {
      sessionId: "0badcafe",
      agent: "coder",
      command,
      folder: this.home,
      environment: {
        PATH: process.env.PATH ?? "",
        HOME: this.home,
        TERM: "xterm-256color",
        LANG: "C.UTF-8",
      },
      ...size,
      scrollback: 1_000,
      socket: join(this.home, "run", `${name}.sock`),
      record: join(this.home, "hosts", `${name}.json`),
    });
    this.#closers.push(() => host.close());
    const { socket, token } = host.record;
    this.daemon.answers.attach = () => ({ session_id: "0badcafe", agent: "coder", socket, token });
    return host;
  }

  /** The command line, as a person calls it. */
  get bellhop(): readonly string[] {
    return [process.execPath, join(this.#built, "bin", "bellhop.cjs")];
  }

  person(size?: WindowSize, ...options: readonly string[]): AttachedPerson {
    return this.caller(["attach", "coder", ...options], { ...(size === undefined ? {} : { size }) });
  }

  /** A person at a terminal who runs it with these arguments; `variables` as `env` takes them. */
  caller(
    words: readonly string[],
    {
      size = { cols: 80, rows: 24 },
      variables = [],
    }: { readonly size?: WindowSize; readonly variables?: readonly string[] } = {},
  ): AttachedPerson {
    const command = ["env", ...variables, ...this.bellhop, ...words];
    this.#seats += 1;
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: this.home,
      USER: "dev",
      TERM: "xterm-256color",
      BELLHOP_HOME: this.home,
    };
    const settings = join(this.home, `settings-${this.#seats}`);
    const person = new AttachedPerson(command, size, env, settings);
    this.#closers.push(() => person.close());
    return person;
  }

  async close(): Promise<void> {
    for (const close of this.#closers.reverse()) await close();
    await this.daemon.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** Builds Bellhop once, and creates a new stage for each test of the file. */
export function attachStageForEach(use: (stage: AttachStage) => void): void {
  let built: ReturnType<typeof buildBellhop>;
  let stage: AttachStage;
  beforeAll(() => {
    built = buildBellhop();
  });
  afterAll(() => built.remove());
  beforeEach(async () => {
    stage = new AttachStage(built.folder);
    use(stage);
    await stage.daemon.open();
  });
  afterEach(() => stage.close());
}
