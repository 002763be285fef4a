import type { CommandOrder } from "../../ports/hosts.ts";
import { resumedWords } from "../resumed-command.ts";

/** No hooks are passed here: it takes them from its settings only ("bellhop hooks install gemini"). */
export function geminiCommand({ command, resume }: CommandOrder): readonly string[] {
  const [program = "", ...rest] = command;
  return resume === undefined ? command : [program, ...resumedGemini(rest, resume)];
}

export function resumedGemini(words: readonly string[], id: string): readonly string[] {
  const rest = resumedWords(words, {
    choice: {
      ...{ "--resume": "value", "-r": "value", "--session-id": "value" },
      // The first prompt was given when the conversation began.
      ...{ "-i": "value", "--prompt-interactive": "value" },
    },
    flags: ["-d", "--debug", "-s", "--sandbox", "-y", "--yolo", "--screen-reader", "--skip-trust"],
    takeMany: [
      ...["--allowed-tools", "--allowed-mcp-server-names", "-e", "--extensions", "--include-directories"],
      ...["--policy", "--admin-policy"],
    ],
  });
  return ["--resume", id, ...rest];
}
