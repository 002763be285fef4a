/**
 * Control clients must not outlive their daemon. tmux 3.3a keeps one whose reader was killed, for it waits to write what
 * nobody will read; a server that hangs keeps it too; and then "kill-server" does not end the server either. The daemon
 * cannot see to that once it is killed: a shell does, which does nothing until its input ends.
 */
import type { ChildProcess } from "node:child_process";
import { startProgram } from "../../../system/starting.ts";

/**
 * They have a moment to leave by themselves, as most do, and then another: tmux before 3.7 crashes when a client is
 * killed while it introduces itself. A number that is another's by now has another command line.
 */
const SCRIPT = `
clients=
while read -r sign pid; do
  kept=
  for one in $clients; do [ "$one" = "$pid" ] || kept="$kept $one"; done
  clients=$kept
  [ "$sign" = + ] && clients="$clients $pid"
done
[ -n "$clients" ] || exit 0
is_ours() {
  if [ -r "/proc/$1/cmdline" ]; then line=$(tr '\\0' ' ' < "/proc/$1/cmdline"); else line=$(ps -o args= -p "$1"); fi
  case $line in *" -C attach-session -E -f ignore-size"*) return 0 ;; esac
  return 1
}
for signal in TERM KILL; do
  sleep 2
  for pid in $clients; do is_ours "$pid" && kill -s "$signal" "$pid"; done
done
`;

export class Survivors {
  readonly #path: string;
  #shell: ChildProcess | undefined;
  readonly #clients = new Set<number>();

  /** `path`: where the shell finds the few programs it needs. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Should we be killed, this one is ended. Returns how to say that it has ended by itself. */
  watch(client: number): () => void {
    this.#clients.add(client);
    if (this.#shell === undefined) this.#start();
    else this.#tell("+", client);
    return () => {
      this.#clients.delete(client);
      this.#tell("-", client);
    };
  }

  /** Those that are still there now are ended. */
  close(): void {
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }

  #start(): void {
    const { child: shell } = startProgram("sh", ["-c", SCRIPT], {
      cwd: "/",
      // In a group of its own: what ends the daemon's must not end it.
      detached: true,
      env: { PATH: this.#path },
      stdio: ["pipe", "ignore", "ignore"],
    });
    this.#shell = shell;
    // The next client starts another.
    const forget = (): void => {
      if (this.#shell === shell) this.#shell = undefined;
    };
    shell.once("error", forget);
    shell.once("exit", forget);
    shell.stdin?.on("error", forget);
    shell.unref();
    for (const client of this.#clients) this.#tell("+", client);
  }

  #tell(sign: "+" | "-", client: number): void {
    this.#shell?.stdin?.write(`${sign} ${client}\n`);
  }
}
