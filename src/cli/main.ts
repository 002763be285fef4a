/** The command line. `send`, `reply` and the hook command are in this bundle; the rest is loaded on demand. */
import { join } from "node:path";
import { claimsFrom } from "../client/identity.ts";
import { EXIT } from "../core/errors.ts";
import { sanitiseText } from "../core/text/sanitise.ts";
import { openHome } from "../home/home.ts";
import { type CommandLine, findCommand, parseArguments, wants } from "./arguments/parse.ts";
import type { Command } from "./command.ts";
import { hook } from "./commands/daemon/hook.ts";
import { reply } from "./commands/messages/reply.ts";
import { send } from "./commands/messages/send.ts";
import { isOffer } from "./completion/offers.ts";
import type { CommandContext } from "./context.ts";
import { Output } from "./printing/output.ts";
import { fileSink } from "./printing/sink.ts";
import { reachDaemon } from "./reach.ts";

const FAST: readonly Command[] = [send, reply, hook];

async function main(argv: readonly string[]): Promise<number> {
  const stdout = fileSink(1, leaveQuietly);
  const stderr = fileSink(2, leaveQuietly);
  const out = new Output({
    stdout,
    stderr,
    colours: () => (stdout.isTerminal && !process.env.NO_COLOR ? "on" : "off"),
    json: wants(argv, "json"),
  });
  const daemonEntry = join(import.meta.dirname, "start-daemon.cjs");
  const home = () => openHome(process.env, { create: false });
  const reach = reachDaemon({
    home,
    createHome: () => openHome(process.env, { create: true }),
    daemonEntry,
    env: process.env,
    began: firstly(startOfProcess(), Date.now),
    now: Date.now,
    out,
  });
  const context: CommandContext = {
    env: process.env,
    out,
    daemonEntry,
    home,
    now: Date.now,
    claims: () => claimsFrom(process.env, process.pid),
    folder: () => process.cwd(),
    readStdin,
    interrupted,
    abandoned,
    pause,
    line: async () => {
      const { unixLine } = await import("../client/unix-line.ts");
      return unixLine(home().socket, claimsFrom(process.env, process.pid));
    },
    reach: (start = "if-needed") => reach.client(start),
    ask: async (verb, request, options) => (await reach.client("if-needed")).call(verb, request, options),
  };
  try {
    const line = findCommand(argv, FAST);
    const status = await (line === undefined || wants(argv, "help")
      ? runOther(context, argv)
      : run(context, line));
    reach.tellVersion();
    // Nothing is left to do: without this, Node would take its connection and its heap apart first.
    if (line !== undefined && stdout.isWritten && stderr.isWritten) process.exit(status);
    reach.close();
    return status;
  } catch (error) {
    const status = out.error(error, process.env.BELLHOP_DEBUG === "1");
    if (!out.json) reach.tellVersion();
    reach.close();
    return status;
  }
}

async function run(context: CommandContext, line: CommandLine): Promise<number> {
  return (await line.command.run?.(context, parseArguments(line))) ?? EXIT.ok;
}

async function runOther(context: CommandContext, argv: readonly string[]): Promise<number> {
  const [first, second, what, ...more] = argv;
  // Runs at every Tab, and needs none of the other commands.
  if (first === "completions" && second === "words" && isOffer(what) && more.length === 0) {
    const { offerWords } = await import("./completion/offering.ts");
    return offerWords(context, what);
  }
  const { runCommand } = await import("./registry.ts");
  return runCommand(context, argv);
}

/** The first connection counts as begun when this process was started. */
function firstly(first: number, later: () => number): () => number {
  let next: number | undefined = first;
  return () => {
    const answer = next ?? later();
    next = undefined;
    return answer;
  };
}

/** As `performance.timeOrigin`, for which Node would load eight modules. */
function startOfProcess(): number {
  return Date.now() - process.uptime() * 1_000;
}

async function readStdin(mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= mostBytes) break;
  }
  return Buffer.concat(chunks);
}

function interrupted(): AbortSignal {
  const stop = new AbortController();
  // Only once: a second Ctrl+C ends the process.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

/** Of a command that must clean up, however it ends. */
let abandoning: AbortController | undefined;

function abandoned(): AbortSignal {
  const stop = new AbortController();
  abandoning = stop;
  // However often: what cleans up must come to its end.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
  return stop.signal;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, signal.aborted ? 0 : ms);
    signal.addEventListener("abort", done);
  });
}

/** The reader has closed the pipe (`bellhop ls | head -1`): there is nobody to report an error to. */
function leaveQuietly(): void {
  if (abandoning === undefined) process.exit();
  abandoning.abort();
}

process.on("uncaughtException", (error) => {
  const shown = process.env.BELLHOP_DEBUG === "1" ? error.stack : error.message;
  process.stderr.write(
    `bellhop: ${sanitiseText(String(shown))}\n  Run it again with BELLHOP_DEBUG=1 and report what it prints.\n`,
  );
  process.exitCode = EXIT.failed;
});
// `exitCode` instead of `exit()`: output to a pipe must be written first.
void main(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
