import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { program } from "./programs.ts";
import { type AgentOptions, openTerminal, placeAgent, type RunningAgent } from "./running-agent.ts";

export interface CodexOptions extends AgentOptions {
  /** By default the newest in `program-versions.json`. */
  readonly version?: string;
  readonly approvalPolicy?: "untrusted" | "on-request" | "never";
  readonly sandboxMode?: "read-only" | "workspace-write" | "danger-full-access";
  /** TOML appended to `config.toml`. */
  readonly extraConfig?: string;
  /** Becomes `hooks.json`; without it there is none. */
  readonly hooks?: object;
  /**
   * By default all windows of one home share a server in the background, which runs hooks and commands with the
   * environment of the window that started it. False: this window does everything itself.
   */
  readonly sharedServer?: boolean;
  /** Called when its files are in place, before it starts: when a user would install hooks. */
  readonly beforeStart?: (home: string) => Promise<void> | void;
}

/** The first start in a home copies the whole program before the composer appears. */
const START_MS = 180_000;

/** Starts the real Codex with the fake model as its provider, and waits for its composer. */
export async function startCodex(options: CodexOptions): Promise<RunningAgent> {
  const { executable } = program("codex", options.version);
  const places = await placeAgent(options, "codex");
  const codexHome = join(places.home, ".codex");
  mkdirSync(codexHome, { recursive: true });
  const configFile = join(codexHome, "config.toml");
  if (!existsSync(configFile)) writeFileSync(configFile, codexConfig(options));
  if (!readFileSync(configFile, "utf8").includes(trustOf(places.repo))) {
    appendFileSync(configFile, trustOf(places.repo));
  }
  if (options.hooks) writeFileSync(join(codexHome, "hooks.json"), JSON.stringify(options.hooks, null, 2));
  await options.beforeStart?.(places.home);
  options.tmux.expectDetached(/\bapp-server\b/);
  const mode = (options.sharedServer ?? true) ? [] : ["--no-daemon"];
  const agent = await openTerminal(
    options,
    places,
    [executable, ...mode, ...(options.args ?? [])],
    codexEnvironment(places.home),
  );
  if (options.waitForComposer ?? true) {
    await agent.terminal.waitForScreen(showsCodexComposer, { timeoutMs: START_MS });
  }
  return agent;
}

/** The empty composer; the line with the model under it appears only once the session has started. */
export function showsCodexComposer(screen: string): boolean {
  return /^› Ask Codex to do anything *\n *\n {2}\S.* · /m.test(screen);
}

/** The dialog in which Codex asks whether it may run a command. */
export function showsCodexPermissionDialog(screen: string): boolean {
  return screen.includes("Would you like to run the following command?");
}

/** The first window of a home in a folder asks whether to trust the folder. */
function trustOf(repo: string): string {
  return `\n[projects."${repo}"]\ntrust_level = "trusted"\n`;
}

/** It talks to the fake model and to nothing else. */
export function codexEnvironment(home: string): Readonly<Record<string, string>> {
  return { CODEX_HOME: join(home, ".codex"), RIG_MODEL_KEY: "none" };
}

type CodexConfig = Pick<CodexOptions, "model" | "approvalPolicy" | "sandboxMode" | "extraConfig">;

/** Its `config.toml`. */
export function codexConfig(options: CodexConfig): string {
  return `model = "gpt-5"
model_provider = "rig"
approval_policy = "${options.approvalPolicy ?? "on-request"}"
sandbox_mode = "${options.sandboxMode ?? "workspace-write"}"
check_for_update_on_startup = false

[model_providers.rig]
name = "rig"
base_url = "${options.model.url}/v1"
wire_api = "responses"
env_key = "RIG_MODEL_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[feedback]
enabled = false

${options.extraConfig ?? ""}
`;
}
