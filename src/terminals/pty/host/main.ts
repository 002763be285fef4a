/**
 * The process of one hosted terminal. Its orders come on standard input; it tells where it is found by a record beside
 * its socket, and stays until its program has ended and nobody looks any more.
 */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { processesOn, standingOn } from "../../../processes/processes.ts";
import { ansiLine } from "../../../screens/ansi.ts";
import { HOST_VERSION, type HostRecord, type HostSpec, type HostState } from "../../../wire/host/host.ts";
import { withLastShown } from "../records.ts";
import { HOST_LIMITS, type HostDoor, welcome } from "./door.ts";
import { Host } from "./host.ts";
import { SocketPlace } from "./socket-place.ts";

/** Time for the last words to be read before the process goes. */
const LINGER_MS = 300;
/** For what the program wrote at its end to be drawn, before it is written down. */
const DRAWN_WITHIN_MS = 1_000;

async function main(): Promise<void> {
  const spec = JSON.parse(readFileSync(0, "utf8")) as HostSpec;
  // The process that started us may end, and its terminal is not ours.
  for (const signal of ["SIGHUP", "SIGINT", "SIGPIPE"] as const) process.on(signal, () => {});
  const token = randomBytes(32).toString("hex");
  const daemons: HostDoor["daemons"] = new Set();
  const viewers: HostDoor["viewers"] = new Set();
  /** Until it is written down where we are found, nobody could be told of the end. */
  let end: ((exit: HostState["exit"]) => Promise<void>) | undefined;
  const host = new Host({
    spec,
    monotonic: () => performance.now(),
    now: () => Date.now(),
    standing: standingOn(process.platform),
    pause: (ms) => pause(ms),
    onChange: () => {
      for (const daemon of daemons) daemon.changed();
    },
    onState: (state) => {
      for (const one of [...daemons, ...viewers]) one.state();
      if (state.exit !== null) void end?.(state.exit);
    },
  });
  const { sessionId, agent } = spec;
  const server = createServer((socket) =>
    welcome(socket, { host, token, sessionId, agent, daemons, viewers }),
  );
  server.maxConnections = HOST_LIMITS.connections;
  // To accept may fail where no file descriptor is left; the program must not end for it.
  server.on("error", complain);
  const place = new SocketPlace(server, spec.socket);
  await place.take();
  let stage: "serving" | "finishing" = "serving";
  // The request of a daemon that cannot reach us; reaching.ts says why it is this signal.
  process.on("SIGHUP", () => {
    if (stage === "serving") place.takeAgain().catch(complain);
  });
  const record = await describe(spec, token, host);
  writeRecord(spec.record, record);
  process.on("SIGTERM", () => void host.stop(5_000));
  end = async (exit) => {
    if (stage === "finishing") return;
    stage = "finishing";
    await writeEnd(spec, host, { ...record, ...(exit === null ? {} : { exit }) });
    await pause(LINGER_MS);
    place.leave();
    process.exit(0);
  };
  // It may have ended meanwhile.
  if (host.state.exit !== null) await end(host.state.exit);
}

/** With what the program showed last, if that can be had. */
async function writeEnd(spec: HostSpec, host: Host, ended: HostRecord): Promise<void> {
  const told = await lastShown(spec, host)
    .then((shown) => withLastShown(ended, shown))
    .catch(() => ended);
  writeRecord(spec.record, told);
}

async function lastShown(spec: HostSpec, host: Host): Promise<Parameters<typeof withLastShown>[1]> {
  const screen = await host.lastScreen(DRAWN_WITHIN_MS);
  const lines = screen.lines.map(({ text }) => text);
  while (lines.at(-1) === "") lines.pop();
  return {
    screen: lines,
    lines: [...host.above(spec.scrollback), ...screen.lines.slice(0, lines.length).map(ansiLine)],
  };
}

async function describe(spec: HostSpec, token: string, host: Host): Promise<HostRecord> {
  const processes = processesOn(process.platform);
  const startOf = async (pid: number): Promise<string> => {
    const found = await processes.identify(pid);
    return found === "gone" ? "" : found.startedAt;
  };
  return {
    version: HOST_VERSION,
    sessionId: spec.sessionId,
    agent: spec.agent,
    command: spec.command,
    folder: spec.folder,
    socket: spec.socket,
    token,
    hostPid: process.pid,
    hostStartedAt: await startOf(process.pid),
    programPid: host.programPid,
    programStartedAt: await startOf(host.programPid),
    startedAt: Date.now(),
  };
}

/** Whole or not at all, and for the owner only. */
function writeRecord(path: string, record: HostRecord): void {
  const fresh = `${path}.${process.pid}`;
  const file = openSync(fresh, "w", 0o600);
  writeFileSync(file, JSON.stringify(record));
  fsyncSync(file);
  closeSync(file);
  renameSync(fresh, path);
}

function complain(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
}

main().catch((error: unknown) => {
  complain(error);
  // Whatever runs or listens already: nobody would ever find it.
  process.exit(1);
});
