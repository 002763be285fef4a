import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const DEADLINE_MS = 180_000;

const PROGRAMS = join(PROJECT, "tests", "contract", "programs");

/** Turns one of `programs/` into a file that plain Node can run, in `folder`. */
export async function bundleProgram(name: string, folder: string, programs = PROGRAMS): Promise<string> {
  const build = await rolldown({
    input: join(programs, `${name}.ts`),
    platform: "node",
    external: [/^@photostructure\//],
  });
  const file = join(folder, `${name}.mjs`);
  await build.write({ file, format: "esm", codeSplitting: false });
  await build.close();
  symlinkSync(join(PROJECT, "node_modules"), join(folder, "node_modules"));
  return file;
}

export interface Child {
  readonly process: ChildProcess;
  /** What it printed so far. */
  readonly lines: readonly string[];
  /** Resolves with the first matching line, printed before or after; rejects if the program ends without one. */
  line(fits: (line: string) => boolean): Promise<string>;
  /** Ends it and waits for its last line. */
  kill(): Promise<void>;
  /** Waits until it ends by itself; rejects unless it succeeded. */
  end(): Promise<void>;
}

export function startChild(file: string, args: readonly string[]): Child {
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: DEADLINE_MS,
    killSignal: "SIGKILL",
  });
  const lines: string[] = [];
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => lines.push(line));
  const closed = once(child, "close");
  return {
    process: child,
    lines,
    async line(fits) {
      for (;;) {
        const found = lines.find(fits);
        if (found !== undefined) return found;
        const ended = closed.then(() => "ended" as const);
        if ((await Promise.race([once(reader, "line"), ended])) === "ended" && !lines.some(fits)) {
          throw new Error(`the child ended without that line: ${lines.join("\n")}\n${errors}`);
        }
      }
    },
    async kill() {
      child.kill("SIGKILL");
      await closed;
    },
    async end() {
      const [code] = await closed;
      if (code !== 0) throw new Error(`the child ended with ${code}: ${errors}`);
    },
  };
}
