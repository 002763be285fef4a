/** Runs a command without a process and without a daemon: its requests, its output, its exit status. */

import { wants } from "../../src/cli/arguments/parse.ts";
import type { CommandContext } from "../../src/cli/context.ts";
import { Output } from "../../src/cli/printing/output.ts";
import { runCommand } from "../../src/cli/registry.ts";
import type { Client } from "../../src/client/connect.ts";
import type { Line } from "../../src/client/line.ts";
import type { Instant } from "../../src/core/message.ts";
import type { Home } from "../../src/home/home.ts";
import type { UseCases, Verb } from "../../src/wire/verbs/index.ts";

export interface Stage {
  readonly answers: Partial<UseCases>;
  readonly now?: Instant;
  /** 0: no terminal. */
  readonly columns?: number;
  readonly stdin?: string | Buffer;
  /** Only the files and folders that the command asks for. */
  readonly home?: Partial<Home>;
  readonly line?: Line;
  /** Ctrl+C. */
  readonly interrupted?: AbortSignal;
  /** Called after each write to stdout, before there is room for more. */
  readonly drain?: () => Promise<void>;
}

export interface Performed {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly asked: readonly { readonly verb: Verb; readonly request: unknown }[];
}

export async function perform(argv: readonly string[], stage: Stage): Promise<Performed> {
  const { answers, now = 0, columns = 0, stdin = "", drain = async () => {} } = stage;
  const interrupted = stage.interrupted ?? new AbortController().signal;
  const said = { stdout: "", stderr: "" };
  const sink = (name: "stdout" | "stderr") => ({
    write: (text: string) => {
      said[name] += text;
    },
    drained: drain,
    isTerminal: columns > 0,
    columns,
  });
  const out = new Output({
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    colours: () => "off",
    json: wants(argv, "json"),
  });
  let pausedMs = 0;
  const asked: { verb: Verb; request: unknown }[] = [];
  const context: CommandContext = {
    env: {},
    out,
    daemonEntry: "",
    home: () => {
      if (stage.home === undefined) throw new Error("this stage has no home");
      return stage.home as Home;
    },
    now: () => now + pausedMs,
    claims: () => ({ user: "dev" }),
    folder: () => "/home/dev/repo",
    readStdin: async () => Buffer.from(stdin),
    interrupted: () => interrupted,
    abandoned: () => interrupted,
    pause: async (ms) => {
      pausedMs += ms;
    },
    line: async () => {
      if (stage.line === undefined) throw new Error("this stage has no line");
      return stage.line;
    },
    reach: async () => {
      if (stage.line === undefined) throw new Error("this stage has no daemon");
      return { close() {} } as Client;
    },
    ask: async (verb, request) => {
      asked.push({ verb, request });
      const answer = answers[verb];
      if (answer === undefined) throw new Error(`no answer scripted for ${verb}`);
      return answer(request);
    },
  };
  const status = await runCommand(context, argv).catch((error: unknown) => out.error(error, false));
  return { status, ...said, asked };
}
