import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { startUnixDoor, type UnixDoor } from "../../src/doors/unix/door.ts";
import type { SendResponse } from "../../src/wire/shapes/messages.ts";
import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import type { UseCases } from "../../src/wire/verbs/index.ts";
import {
  buildCommandLine,
  privateHome,
  type Ran,
  type RunOptions,
  run,
  writeStubDaemon,
} from "./built-command-line.ts";
import { noStreams, rememberedLog, type ScriptedUseCases, scriptedUseCases } from "./scripted-use-cases.ts";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const VERSION = (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string })
  .version;

export const SENT: SendResponse = {
  messageId: "11111111-2222-4333-8444-555555555555",
  shortId: "m7k2q9",
  unmatched: false,
  deliveries: [
    {
      id: "d-1",
      to: "agent/coder",
      state: "queued",
      hold: { reason: "busy", since: 1, release: "until its turn ends" },
    },
  ],
};
export const SESSION: ListedSession = {
  id: "08bc57cf",
  agent: "coder",
  label: "main:0.0",
  program: "claude",
  terminal: { kind: "tmux", server: "/tmp/s", pane: "%1" },
  readiness: "idle",
  queued: 0,
  headline: "fix the tests",
};

export interface CommandLineStage {
  /** Where the bundles are. */
  readonly built: string;
  readonly home: string;
  /** The requests to the daemon. */
  readonly asked: ScriptedUseCases["asked"];
  serve(answers: Partial<UseCases>, version?: string): Promise<void>;
  bellhop(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** The last request. */
  request(): Record<string, unknown>;
}

/** The built command line and a scripted daemon; each test of the file has its own home. */
export function commandLineStage(): CommandLineStage {
  let built: ReturnType<typeof buildCommandLine>;
  let home: ReturnType<typeof privateHome>;
  let door: UnixDoor | undefined;
  let script: ScriptedUseCases;

  beforeAll(() => {
    built = buildCommandLine();
    writeStubDaemon(built.folder);
  });
  afterAll(() => built.remove());
  beforeEach(() => {
    home = privateHome();
  });
  afterEach(async () => {
    await door?.close(100);
    door = undefined;
    home.remove();
  });

  return {
    get built() {
      return built.folder;
    },
    get home() {
      return home.path;
    },
    get asked() {
      return script.asked;
    },
    async serve(answers, version = VERSION) {
      script = scriptedUseCases(answers);
      door = await startUnixDoor({
        path: join(home.path, "run", "bellhop.sock"),
        streams: noStreams,
        useCases: script.useCases,
        log: rememberedLog(),
        version,
        user: "dev",
        now: () => 1,
      });
    },
    bellhop: (args, options) =>
      run([process.execPath, join(built.folder, "bellhop.cjs"), ...args], home.path, options),
    request: () => script.asked.at(-1)?.request as Record<string, unknown>,
  };
}

export function errorOf({ stderr }: Ran) {
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  return (
    JSON.parse(stderr) as { error: { code: string; message: string; next: string; candidates?: string[] } }
  ).error;
}
