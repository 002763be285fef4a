import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FakeModel } from "./fake-model.ts";
import { program } from "./programs.ts";
import { type AgentOptions, openTerminal, placeAgent, type RunningAgent } from "./running-agent.ts";

export interface GeminiOptions extends AgentOptions {
  /** By default the newest in `program-versions.json`. */
  readonly version?: string;
  /** Merged into `settings.json`, member by member. */
  readonly settings?: Readonly<Record<string, object>>;
  /** Called when its files are in place, before it starts: when a user would install hooks. */
  readonly beforeStart?: (home: string) => Promise<void> | void;
}

const START_MS = 180_000;

/** Starts the real Gemini CLI with the fake model as its provider, and waits for its composer. */
export async function startGemini(options: GeminiOptions): Promise<RunningAgent> {
  const { executable } = program("gemini", options.version);
  const places = await placeAgent(options, "gemini");
  settleGeminiUser(places.home, [places.repo], options.settings);
  await options.beforeStart?.(places.home);
  // It goes on without its terminal.
  options.tmux.expectDetached(/\bgemini\b/);
  const agent = await openTerminal(
    options,
    places,
    [executable, "--model", GEMINI_MODEL, ...(options.args ?? [])],
    geminiEnvironment(options.model),
  );
  if (options.waitForComposer ?? true) {
    await agent.terminal.waitForScreen(showsGeminiComposer, { timeoutMs: START_MS });
  }
  return agent;
}

/** With a model by name, it asks nobody which one suits the prompt. */
export const GEMINI_MODEL = "gemini-2.5-flash";

/** The empty composer. */
export function showsGeminiComposer(screen: string): boolean {
  return /^[\s│]*>\s+Type your message or @path\/to\/file/m.test(screen);
}

/** The dialog in which Gemini asks whether it may run a command. */
export function showsGeminiPermissionDialog(screen: string): boolean {
  return /● 1\. (?:Allow once|Yes, allow once)/u.test(screen);
}

/** The settings of somebody who has logged in with a key, and trusts these folders. */
export function settleGeminiUser(
  home: string,
  trusted: readonly string[],
  settings: Readonly<Record<string, object>> = {},
): void {
  const folder = join(home, ".gemini");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "settings.json");
  if (!existsSync(file)) writeFileSync(file, JSON.stringify({ ...SETTINGS, ...settings }, null, 2));
  const trust = join(folder, "trustedFolders.json");
  const known: object = existsSync(trust) ? JSON.parse(readFileSync(trust, "utf8")) : {};
  const all = { ...known, ...Object.fromEntries(trusted.map((path) => [path, "TRUST_FOLDER"])) };
  writeFileSync(trust, JSON.stringify(all));
}

const SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" } },
  general: { disableAutoUpdate: true, enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  ui: { hideTips: true, hideBanner: true, theme: "Default" },
};

/** It talks to the fake model and to nothing else. */
export function geminiEnvironment({ url }: Pick<FakeModel, "url">): Readonly<Record<string, string>> {
  return {
    GEMINI_API_KEY: "none",
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_TELEMETRY_ENABLED: "false",
    NO_UPDATE_NOTIFIER: "1",
  };
}
