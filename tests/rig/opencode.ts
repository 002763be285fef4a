import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FakeModel } from "./fake-model.ts";
import { program } from "./programs.ts";
import { type AgentOptions, openTerminal, placeAgent, type RunningAgent } from "./running-agent.ts";

/** As `provider/model`. */
export const OPENCODE_MODEL = "rig/rig-model";

export interface OpencodeOptions extends AgentOptions {
  /** By default the newest in `program-versions.json`. */
  readonly version?: string;
  /** As in `opencode.json`; by default none, as OpenCode comes. */
  readonly permission?: object;
  /** Called when its files are in place, before it starts: when a user would install hooks. */
  readonly beforeStart?: (home: string) => Promise<void> | void;
}

const START_MS = 180_000;

/** Starts the real OpenCode with the fake model as its only provider, and waits for its composer. */
export async function startOpencode(options: OpencodeOptions): Promise<RunningAgent> {
  const { executable } = program("opencode", options.version);
  const places = await placeAgent(options, "opencode");
  const config = join(places.home, ".config", "opencode", "opencode.json");
  if (!existsSync(config)) settleOpencodeUser(places.home, options.model, options.permission);
  await options.beforeStart?.(places.home);
  const command = [executable, ...(options.args ?? [])];
  const agent = await openTerminal(options, places, command, opencodeEnvironment());
  if (options.waitForComposer ?? true)
    await agent.terminal.waitForScreen(showsOpencodeComposer, { timeoutMs: START_MS });
  return agent;
}

/** The box with the agent's name in it; the page under it loads before that. */
export function showsOpencodeComposer(screen: string): boolean {
  return /┃ {2}\S+ · Scripted/u.test(screen) && screen.includes("╹▀");
}

/** The dialog in which OpenCode asks whether it may do something. */
export function showsOpencodePermissionDialog(screen: string): boolean {
  return screen.includes("Permission required") && screen.includes("Allow once");
}

/** The settings of somebody whose only provider is the fake model. */
export function settleOpencodeUser(home: string, model: FakeModel, permission?: object): void {
  const folder = join(home, ".config", "opencode");
  mkdirSync(folder, { recursive: true });
  const scripted = {
    name: "Scripted",
    limit: { context: 200_000, output: 8_000 },
    cost: { input: 3, output: 15 },
  };
  const config = {
    autoupdate: false,
    share: "disabled",
    model: OPENCODE_MODEL,
    small_model: OPENCODE_MODEL,
    ...(permission === undefined ? {} : { permission }),
    provider: {
      rig: {
        // One that is part of the program: others are installed from the registry.
        npm: "@ai-sdk/anthropic",
        name: "rig",
        options: { baseURL: `${model.url}/v1`, apiKey: "none" },
        models: { "rig-model": scripted },
      },
    },
  };
  writeFileSync(join(folder, "opencode.json"), JSON.stringify(config));
}

/** What its owner says who wants to be asked nothing. */
export const EVERYTHING_ALLOWED = { "*": "allow", bash: "allow", edit: "allow" } as const;

/** It talks to the fake model and to nothing else. */
export function opencodeEnvironment(): Readonly<Record<string, string>> {
  return {
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_SHARE: "1",
  };
}
