/**
 * Control clients must not outlive their daemon. tmux 3.3a keeps one whose reader was killed, because it waits to
 * write output that nobody will read; a hung server keeps it too; and then "kill-server" does not end the server
 * either. A daemon that was killed cannot prevent this, so a shell does: it does nothing until its input ends.
 */
import type { ChildProcess } from "node:child_process";
import { startProgram } from "../../../system/starting.ts";

/**
 * Clients get a moment to leave by themselves, as most do, and then another: tmux before 3.7 crashes if a client is
 * killed while attaching. The command line is compared, because the pid may belong to another process by now.
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

  /** Ends this client if we are killed. Returns a function that reports that it has ended by itself. */
  watch(client: number): () => void {
    this.#clients.add(client);
    if (this.#shell === undefined) this.#start();
    else this.#tell("+", client);
    return () => {
      this.#clients.delete(client);
      this.#tell("-", client);
    };
  }

  /** Ends the clients that are still there. */
  close(): void {
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }

  #start(): void {
    const { child: shell } = startProgram("sh", ["-c", SCRIPT], {
      cwd: "/",
      // In its own process group: what ends the daemon's group must not end this shell.
      detached: true,
      env: { PATH: this.#path },
      stdio: ["pipe", "ignore", "ignore"],
    });
    this.#shell = shell;
    // The next client starts another shell.
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
