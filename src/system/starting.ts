/**
 * The only way to start a long-running program. If no file descriptor is left for its pipes, Node returns a child
 * without them, and a signal to it would go to our own process group; both are handled here. A failed start is then
 * reported like any other, through `error` and `close`.
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";

export interface Started {
  readonly child: ChildProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  kill(signal: NodeJS.Signals): void;
}

export function startProgram(file: string, argv: readonly string[], options: SpawnOptions): Started {
  const child = spawn(file, [...argv], options);
  return {
    child,
    stdin: child.stdin ?? takesAll(),
    stdout: child.stdout ?? saysNothing(),
    stderr: child.stderr ?? saysNothing(),
    kill(signal) {
      if (child.pid !== undefined) child.kill(signal);
    },
  };
}

function takesAll(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

function saysNothing(): Readable {
  return new Readable({ read: () => {} });
}
