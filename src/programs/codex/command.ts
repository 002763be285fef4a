import type { CommandOrder } from "../../ports/hosts.ts";
import { resumedWords } from "../resumed-command.ts";

/** No hooks are passed here: a person must trust them once, in a file ("bellhop hooks install codex"). */
export function codexCommand({ command, resume }: CommandOrder): readonly string[] {
  const [program = "", ...rest] = command;
  return resume === undefined ? command : [program, ...resumedCodex(rest, resume)];
}

export function resumedCodex(words: readonly string[], id: string): readonly string[] {
  const rest = resumedWords(words, {
    choice: { resume: "value", fork: "value", "--last": "flag", "--all": "flag" },
    flags: ["--full-auto", "--search", "--oss", "--no-daemon", "--dangerously-bypass-approvals-and-sandbox"],
    takeMany: ["--add-dir", "-i", "--image"],
  });
  return ["resume", id, ...rest];
}
