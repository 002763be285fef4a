/** A command without a process and without a daemon: what it asks, what it prints, how it ends. */
import type { CommandContext } from "../../src/cli/context.ts";
import { Output } from "../../src/cli/output.ts";
import { wants } from "../../src/cli/parse.ts";
import { runCommand } from "../../src/cli/registry.ts";
import type { Instant } from "../../src/core/message.ts";
import type { UseCases, Verb } from "../../src/wire/shapes.ts";

export interface Stage {
  readonly answers: Partial<UseCases>;
  readonly now?: Instant;
  /** 0: no terminal. */
  readonly columns?: number;
  readonly stdin?: string | Buffer;
}

export interface Performed {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly asked: readonly { readonly verb: Verb; readonly request: unknown }[];
}

export async function perform(argv: readonly string[], stage: Stage): Promise<Performed> {
  const { answers, now = 0, columns = 0, stdin = "" } = stage;
  const said = { stdout: "", stderr: "" };
  const sink = (name: "stdout" | "stderr") => ({
    write: (text: string) => {
      said[name] += text;
    },
    isTerminal: columns > 0,
    columns,
  });
  const out = new Output({
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    colours: () => "off",
    json: wants(argv, "json"),
  });
  const asked: { verb: Verb; request: unknown }[] = [];
  const context: CommandContext = {
    env: {},
    out,
    daemonEntry: "",
    home: () => {
      throw new Error("this stage has no home");
    },
    now: () => now,
    claims: () => ({ user: "dev" }),
    readStdin: async () => Buffer.from(stdin),
    reach: async () => {
      throw new Error("this stage has no daemon");
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
