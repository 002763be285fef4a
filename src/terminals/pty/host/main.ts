/**
 * The process of one hosted terminal. It reads its orders from standard input, writes a record that tells where to find
 * it, and exits once its program has ended and its last viewers have been told.
 */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { processesOn, standingOn } from "../../../processes/processes.ts";
import { ansiLine } from "../../../screens/ansi.ts";
import { HOST_VERSION, type HostRecord, type HostSpec, type HostState } from "../../../wire/host/host.ts";
import { withLastShown } from "../records.ts";
import { HOST_LIMITS, type HostDoor, welcome } from "./door.ts";
import { Host } from "./host.ts";
import { SocketPlace } from "./socket-place.ts";

/** Time for clients to read the last output before the process exits. */
const LINGER_MS = 300;
/** Time to draw what the program wrote at its end before the record is written. */
const DRAWN_WITHIN_MS = 1_000;

async function main(): Promise<void> {
  const spec = JSON.parse(readFileSync(0, "utf8")) as HostSpec;
  // The process that started us may end, and its terminal is not ours.
  for (const signal of ["SIGHUP", "SIGINT", "SIGPIPE"] as const) process.on(signal, () => {});
  const token = randomBytes(32).toString("hex");
  const daemons: HostDoor["daemons"] = new Set();
  const viewers: HostDoor["viewers"] = new Set();
  /** Unset until our record is written: before that, nobody could learn of the ending. */
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
  // Accepting fails when no file descriptor is left; that must not end the program.
  server.on("error", complain);
  const place = new SocketPlace(server, spec.socket);
  await place.take();
  let stage: "serving" | "finishing" = "serving";
  // Sent by a daemon that cannot reach us; reaching.ts explains the choice of signal.
  process.on("SIGHUP", () => {
    if (stage === "serving") place.takeAgain().catch(complain);
  });
  const record = await describe(spec, token, host);
  writeRecord(spec.record, record);
  process.on("SIGTERM", () => void host.stop(5_000));
  // A host may see few deliveries: V8 is to learn how they run from the first, not from the eighth.
  setFlagsFromString("--no-lazy-feedback-allocation");
  end = async (exit) => {
    if (stage === "finishing") return;
    stage = "finishing";
    await writeEnd(spec, host, { ...record, ...(exit === null ? {} : { exit }) });
    await pause(LINGER_MS);
    place.leave();
    process.exit(0);
  };
  // The program may have ended in the meantime.
  if (host.state.exit !== null) await end(host.state.exit);
}

/** Includes the last screen if it is available. */
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

/** Written atomically, readable by the owner only. */
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
  // Exit even if something already runs or listens: nobody could ever find it.
  process.exit(1);
});
