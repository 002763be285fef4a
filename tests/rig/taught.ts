/** Real programs that Bellhop knows only by a profile that comes with it as data. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FakeModel } from "./fake-model.ts";
import { program } from "./programs.ts";
import { type AgentOptions, openTerminal, placeAgent, type RunningAgent } from "./running-agent.ts";

const START_MS = 180_000;
/** They speak Anthropic's protocol with the fake model. */
const MODEL = "rig-model";

export interface TaughtProgram {
  readonly name: "pi" | "qwen";
  start(options: AgentOptions): Promise<RunningAgent>;
}

export const PI: TaughtProgram = {
  name: "pi",
  start: (options) =>
    started("pi", options, {
      settle: settlePi,
      args: ["--provider", "rig", "--model", MODEL],
      environment: () => ({ PI_OFFLINE: "1" }),
      showsComposer: (screen) => /^─{10}.*\n *\n─{10}/m.test(screen) && screen.includes(MODEL),
    }),
};

export const QWEN: TaughtProgram = {
  name: "qwen",
  start: (options) =>
    started("qwen", options, {
      settle: settleQwen,
      args: ["--auth-type", "anthropic", "--approval-mode", "default"],
      environment: (model) => ({
        ANTHROPIC_API_KEY: "none",
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_MODEL: MODEL,
      }),
      showsComposer: (screen) => screen.includes("Type your message or @path/to/file"),
    }),
};

interface Starting {
  settle(home: string, model: FakeModel): void;
  readonly args: readonly string[];
  environment(model: FakeModel): Readonly<Record<string, string>>;
  showsComposer(screen: string): boolean;
}

async function started(
  name: TaughtProgram["name"],
  options: AgentOptions,
  { settle, args, environment, showsComposer }: Starting,
): Promise<RunningAgent> {
  const places = await placeAgent(options, name);
  settle(places.home, options.model);
  const command = [process.execPath, program(name).executable, ...args];
  const agent = await openTerminal(options, places, command, environment(options.model));
  await agent.terminal.waitForScreen(showsComposer, { timeoutMs: START_MS });
  return agent;
}

function settlePi(home: string, model: FakeModel): void {
  const folder = join(home, ".pi", "agent");
  mkdirSync(folder, { recursive: true });
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const scripted = {
    ...{ id: MODEL, name: "Scripted", reasoning: false, input: ["text"], cost },
    ...{ contextWindow: 200_000, maxTokens: 8_000 },
  };
  const rig = { baseUrl: model.url, api: "anthropic-messages", apiKey: "none", models: [scripted] };
  writeFileSync(join(folder, "models.json"), JSON.stringify({ providers: { rig } }));
}

function settleQwen(home: string): void {
  const folder = join(home, ".qwen");
  mkdirSync(folder, { recursive: true });
  const settings = {
    general: { disableAutoUpdate: true, enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    memory: { enabled: false, enableManagedAutoMemory: false },
    ui: { enableFollowupSuggestions: false },
  };
  writeFileSync(join(folder, "settings.json"), JSON.stringify(settings));
}
