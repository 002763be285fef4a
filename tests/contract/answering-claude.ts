/** A stand-in for Claude Code in tmux whose hooks the test lets run, with the real script and a real daemon. */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { HOOK_SCRIPT } from "../../src/hooks/hooked-program.ts";
import { hookCommand, hookScript } from "../../src/hooks/script.ts";
import { HOOKED_PROGRAMS } from "../../src/programs/index.ts";
import type { Bellhop } from "../rig/bellhop.ts";
import type { TmuxServer } from "../rig/tmux-server.ts";

const program = join(dirname(fileURLToPath(import.meta.url)), "programs", "answering-claude.mjs");

/** The real one tells its hooks which release it is. */
const RELEASE = "2-1-325";

export interface HookRequest {
  readonly event: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Where the hook finds its commands. */
  readonly path?: string;
}

export interface AnsweringClaude {
  readonly name: string;
  readonly conversation: string;
  readonly transcript: string;
  readonly pid: number;
  /** The program runs this hook; resolves with what it then adds for its model. */
  hook(request: HookRequest): Promise<string | null>;
}

export function installScript({ home }: Bellhop): string {
  const script = join(home, HOOK_SCRIPT);
  mkdirSync(dirname(script), { recursive: true });
  writeFileSync(script, hookScript(HOOKED_PROGRAMS), { mode: 0o700 });
  return script;
}

export async function startAnsweringClaude(
  tmux: TmuxServer,
  bellhop: Bellhop,
  name: string,
): Promise<AnsweringClaude> {
  const folder = join(tmux.folder, name);
  mkdirSync(join(folder, "bin"), { recursive: true });
  // Recognised by its name, like the real one.
  const claude = join(folder, "bin", "claude");
  copyFileSync(program, claude.concat(".mjs"));
  writeFileSync(claude, `import(${JSON.stringify(claude.concat(".mjs"))});\n`);
  const [socket, transcript] = [join(tmux.folder, `${name}.sock`), join(tmux.folder, `${name}.jsonl`)];
  const command = hookCommand(join(bellhop.home, HOOK_SCRIPT), "claude", "EVENT");
  const pane = await tmux.newSession({
    name,
    command: [process.execPath, claude, socket, transcript, command],
    cwd: folder,
    env: { CLAUDE_CONFIG_DIR: join(folder, ".claude"), AI_AGENT: `claude-code_${RELEASE}_harness` },
  });
  const conversation = `talk-of-${name}`;
  const pid = Number(await tmux.ask(pane, "#{pane_pid}"));
  const hook = (request: HookRequest) =>
    asked(socket, { ...request, payload: { session_id: conversation, ...request.payload } });
  await tmux.waitForScreen(pane, (screen) => screen.includes("❯"));
  return { name, conversation, transcript, pid, hook };
}

function asked(socket: string, request: object): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket).on("error", reject);
    createInterface({ input: connection }).on("line", (line) => {
      connection.end();
      resolve((JSON.parse(line) as { added: string | null }).added);
    });
    connection.write(`${JSON.stringify(request)}\n`);
  });
}
