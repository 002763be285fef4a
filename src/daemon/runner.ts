/** Runs headless turns, and questions to a small model, with the program or the command that is configured. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { present } from "../core/present.ts";
import { childEnvironment } from "../core/rights/child-environment.ts";
import { conversationId } from "../core/session.ts";
import { fitted } from "../core/text/fitting.ts";
import { sanitiseLine } from "../core/text/sanitise.ts";
import { COMMAND_RUNNER } from "../core/turns/auto-run.ts";
import type { Clock } from "../ports/clock.ts";
import type { Processes, ProcessIdentity } from "../ports/processes.ts";
import type {
  QuestionHandover,
  Runner,
  TriageQuestion,
  TurnOrder,
  TurnOutcome,
  TurnReport,
} from "../ports/runner.ts";
import { CommandReader, commandTurn } from "../programs/generic/headless.ts";
import type { HeadlessCommand, HeadlessProgram, HeadlessReader } from "../programs/headless.ts";
import { findOnPath, isExecutable } from "../system/executables.ts";
import {
  runTurnProcess,
  signalGroup,
  TURN_MARK,
  type TurnProcess,
  type TurnProcessOutcome,
} from "../system/turn-process.ts";
import { layOut } from "./turn-files.ts";

export const RUNNER_LIMITS = {
  outputBytes: 64 * 1024 * 1024,
  /** A step may hold a picture. */
  lineBytes: 16 * 1024 * 1024,
  questionOutputBytes: 1024 * 1024,
} as const;

const LOOK_EVERY_MS = 20;
/** For the watcher of a turn to end it. */
const WATCHERS_MS = 2_000;

/** Of a reason: it is kept, and told in Bellhop's own words. */
const REASON_CHARACTERS = 300;
/** The rest of a page is not even looked at. */
const REASON_LOOK = 10_000;

/** With a token of the owner's, whoever holds it may do everything. */
const OWNERS = ["BELLHOP_TOKEN"] as const;

export interface RunnerParts {
  readonly programs: readonly HeadlessProgram[];
  readonly processes: Pick<Processes, "identify">;
  readonly clock: Pick<Clock, "after">;
  /** Of Bellhop. */
  readonly home: string;
  /** A folder of ours, in which each question gets an empty one. */
  readonly scratch: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The variables that hold the daemon's secrets. */
  secretVariables(): readonly string[];
  /** The agent's own token; undefined if there is none to be made. */
  tokenOf(agent: string): string | undefined;
}

interface Chosen {
  readonly command: HeadlessCommand;
  readonly reader: HeadlessReader;
}

interface Ready extends Chosen {
  readonly environment: TurnProcess["environment"];
  /** Removes the files that it needed. */
  clear(): void;
}

export function commandRunner(parts: RunnerParts): Runner {
  const headlessOf = (runner: string) => parts.programs.find(({ name }) => name === runner)?.headless;

  const environmentFor = (own: Readonly<Record<string, string>>, mark: string) => ({
    ...childEnvironment(parts.environment, { BELLHOP_HOME: parts.home, ...own }, [
      ...parts.secretVariables(),
      ...OWNERS,
    ]),
    [TURN_MARK]: mark,
  });

  const missing = (program: string): string | undefined => {
    const isThere = program.includes("/")
      ? !isAbsolute(program) || isExecutable(program)
      : findOnPath(program, parts.environment.PATH ?? "") !== undefined;
    return isThere ? undefined : `"${program}" is not installed here`;
  };

  const cannotRun = (runner: string, command: readonly string[]): string | undefined => {
    if (runner === COMMAND_RUNNER) {
      const [program] = command;
      return program === undefined ? `the runner "${COMMAND_RUNNER}" needs a command` : missing(program);
    }
    if (headlessOf(runner) !== undefined) return missing(runner);
    const known = parts.programs.map(({ name }) => name);
    return `there is no runner "${runner}" (there are: ${[...known, COMMAND_RUNNER].join(", ")})`;
  };

  const obstacle: Runner["obstacle"] = (runner, command, folder) =>
    cannotRun(runner, command) ?? (folder === undefined ? undefined : noFolder(folder));

  const choose = ({ conversation, ...ordered }: TurnOrder): Chosen | undefined => {
    // What was stored before it was looked at must not become an option either.
    const order = { ...ordered, ...present({ conversation: conversationId(conversation) }) };
    if (order.runner === COMMAND_RUNNER) return { command: commandTurn(order), reader: new CommandReader() };
    const headless = headlessOf(order.runner);
    return headless && { command: headless.turn(order), reader: headless.reader() };
  };

  const readyFor = (order: TurnOrder): Ready | { readonly why: string } => {
    try {
      const why = obstacle(order.runner, order.command, order.folder);
      const chosen = choose(order);
      if (why !== undefined || chosen === undefined) return { why: why ?? "it has no runner" };
      const { command, clear } = layOut(chosen.command, parts.scratch);
      const own = {
        ...command.environment,
        BELLHOP_SESSION_ID: order.sessionId,
        BELLHOP_AGENT: order.agent,
        ...present({ BELLHOP_TOKEN: parts.tokenOf(order.agent) }),
      };
      return { ...chosen, command, clear, environment: environmentFor(own, order.turnId) };
    } catch (cause) {
      return { why: wordsOf(cause) };
    }
  };

  const asked = async (question: TriageQuestion, handover: QuestionHandover): ReturnType<Runner["ask"]> => {
    const { runner, timeoutMs } = question;
    const headless = headlessOf(runner);
    if (headless === undefined) return { none: `"${runner}" cannot be asked` };
    const why = cannotRun(runner, []);
    if (why !== undefined) return { none: why };
    const settings = textOf(headless.settingsFile?.(parts.environment));
    const { command, clear } = layOut(headless.question(question, settings), parts.scratch);
    const { words, stdin, environment = {} } = command;
    const folder = mkdtempSync(join(parts.scratch, "triage-"));
    const lines: string[] = [];
    try {
      const outcome = await runTurnProcess({
        ...{ words, stdin, folder, signal: handover.signal },
        // It is nobody's agent, and its hooks have nothing to report.
        environment: environmentFor({ ...environment }, basename(folder)),
        deadlineMs: timeoutMs,
        clock: parts.clock,
        mostBytes: RUNNER_LIMITS.questionOutputBytes,
        mostLineBytes: RUNNER_LIMITS.questionOutputBytes,
        released: (pid) => announce(pid, parts.processes, handover),
        line: (text) => lines.push(text),
      });
      if (outcome.kind === "late") return { none: `no answer within ${timeoutMs / 1_000} s` };
      if (outcome.kind === "stopped") return { none: "it was stopped" };
      if (outcome.kind === "too-long") return { none: "its answer was too long" };
      if (outcome.kind === "not-started") return { none: `it could not be started: ${outcome.why}` };
      const said = headless.answered(lines.join("\n"));
      if (said !== undefined && "failed" in said) return { none: said.failed };
      if (outcome.code !== 0) return { none: failure(outcome) };
      return said ?? { none: "it gave no answer" };
    } finally {
      clear();
      rmSync(folder, { recursive: true, force: true });
    }
  };

  return {
    obstacle,

    async run(order, handover) {
      const ready = readyFor(order);
      if ("why" in ready) return { kind: "not-started", why: reason(ready.why) };
      const { command, reader, environment, clear } = ready;
      const outcome = await runTurnProcess({
        words: command.words,
        stdin: command.stdin,
        folder: order.folder,
        environment,
        deadlineMs: order.deadlineMs,
        clock: parts.clock,
        signal: handover.signal,
        mostBytes: RUNNER_LIMITS.outputBytes,
        mostLineBytes: RUNNER_LIMITS.lineBytes,
        released: (pid) => announce(pid, parts.processes, handover),
        line: (text) => {
          const now = reader.line(text);
          if (now !== undefined) handover.doing(now);
        },
      }).finally(clear);
      return meaning(outcome, reader);
    },

    async ask(question, handover) {
      const said = await asked(question, handover).catch((cause: unknown) => ({ none: wordsOf(cause) }));
      return "none" in said ? { none: reason(said.none) } : said;
    },

    async end(process) {
      for (let look = 0; ; look += 1) {
        const found = await parts.processes.identify(process.pid);
        // With another start it is somebody else, who has the number by now.
        if (found === "gone" || found.startedAt !== process.startedAt) return;
        // Its watcher knows of our predecessor's death, and also ends what has left the group, but dies with it.
        if (look * LOOK_EVERY_MS >= WATCHERS_MS) signalGroup(process.pid, "SIGKILL");
        await sleep(LOOK_EVERY_MS);
      }
    },
  };
}

async function announce(
  pid: number,
  processes: RunnerParts["processes"],
  handover: QuestionHandover,
): Promise<void> {
  const identity: ProcessIdentity | "gone" = await processes.identify(pid);
  if (identity === "gone") throw new Error("it ended before it began");
  await handover.started({ pid: identity.pid, startedAt: identity.startedAt });
}

function textOf(file: string | undefined): string {
  return file !== undefined && existsSync(file) ? readFileSync(file, "utf8") : "";
}

function noFolder(folder: string): string | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
    ? undefined
    : `its folder is not there: ${folder}`;
}

function meaning(outcome: TurnProcessOutcome, reader: HeadlessReader): TurnOutcome {
  if (outcome.kind === "not-started") return { ...outcome, why: reason(outcome.why) };
  const said = reader.ended();
  const report = reportOf(said);
  switch (outcome.kind) {
    case "late":
    case "stopped":
      return { kind: outcome.kind, ...report };
    case "too-long":
      return { kind: "failed", why: "it said too much", ...report };
    case "ended":
      if (outcome.code === 0 && "answer" in said)
        return { kind: "answered", answer: fitted(said.answer), ...report };
      return {
        kind: "failed",
        why: reason(("failed" in said ? said.failed : undefined) ?? failure(outcome)),
        ...report,
      };
  }
}

function reportOf({ conversation, usd, tokensIn, tokensOut }: TurnReport): TurnReport {
  return present({ conversation, usd, tokensIn, tokensOut });
}

function failure({ code, stderr }: Extract<TurnProcessOutcome, { kind: "ended" }>): string {
  const lastLine = stripVTControlCharacters(stderr).trim().split("\n").at(-1)?.trim() ?? "";
  if (lastLine !== "") return lastLine;
  if (code === 0) return "it ended without an answer";
  return code === null ? "it was killed" : `it failed (exit status ${code})`;
}

/** In one short line, whatever the program or the system said. */
function reason(why: string): string {
  return sanitiseLine(why.slice(0, REASON_LOOK).trim(), REASON_CHARACTERS).trim();
}

function wordsOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
