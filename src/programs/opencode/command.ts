import type { CommandOrder } from "../../ports/hosts.ts";
import { resumedWords } from "../resumed-command.ts";

/** No plugin is given here: OpenCode takes one only from its settings ("bellhop hooks install opencode"). */
export function opencodeCommand({ command, resume }: CommandOrder): readonly string[] {
  const [program = "", ...rest] = command;
  return resume === undefined ? command : [program, ...resumedOpencode(rest, resume)];
}

export function resumedOpencode(words: readonly string[], id: string): readonly string[] {
  const rest = resumedWords(words, {
    choice: {
      ...{ "--session": "value", "-s": "value", "--prompt": "value" },
      ...{ "--continue": "flag", "-c": "flag", "--fork": "flag" },
    },
    flags: ["--pure", "--print-logs"],
    takeMany: [],
  });
  return ["--session", id, ...rest];
}
