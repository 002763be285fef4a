/** Scripts on the PATH in place of programs that a page tells people to start. */
import { accessSync, constants, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { scriptedCommand } from "./scripted-agent.ts";

export function substitute(folder: string, name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

export function claudeScript(home: string): string {
  return `name=$(basename "$PWD")\nexec ${scriptedCommand('"$name"', `"${home}/$name.jsonl"`).join(" ")}`;
}

/** There is no person at a terminal here, so attaching is left out. */
export function tmuxScript(socket: string): string {
  const configuration = join(dirname(socket), "tmux.conf");
  return `[ "$1" = attach ] && exit 0\nexec ${realTmux()} -u -S ${socket} -f ${configuration} "$@"`;
}

function realTmux(): string {
  const found = (process.env.PATH ?? "").split(delimiter).find((folder) => {
    try {
      accessSync(join(folder, "tmux"), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error("tmux is not on the PATH.");
  return join(found, "tmux");
}
