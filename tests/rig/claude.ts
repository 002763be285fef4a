import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FakeModel } from "./fake-model.ts";
import { program } from "./programs.ts";
import { type AgentOptions, openTerminal, placeAgent, type RunningAgent } from "./running-agent.ts";

export interface ClaudeOptions extends AgentOptions {
  /** By default the newest in `program-versions.json`. */
  readonly version?: string;
  /** Becomes `~/.claude/settings.json`; without it there is none. */
  readonly settings?: object;
  /** `default` is the mode that asks. New users of this release start in `auto`. */
  readonly permissionMode?: "default" | "auto" | "acceptEdits" | "plan";
  /** After its second turn Claude shows the model's guess at the next prompt as ghost text in the empty composer. */
  readonly ghostSuggestions?: boolean;
  /** Called when its files are in place, before it starts: when a user would install hooks. */
  readonly beforeStart?: (home: string) => Promise<void> | void;
}

interface ClaudeState {
  readonly hasCompletedOnboarding?: boolean;
  readonly projects?: Readonly<Record<string, { readonly hasTrustDialogAccepted?: boolean }>>;
}

const API_KEY = "sk-ant-rig-000000000000000000000000000000000000";

/** Starts the real Claude Code past its onboarding, in its default permission mode, and waits for its composer. */
export async function startClaude(options: ClaudeOptions): Promise<RunningAgent> {
  const { executable } = program("claude", options.version);
  const places = await placeAgent(options, "claude");
  settleClaudeUser(places.home, [places.repo]);
  if (options.settings)
    writeFileSync(join(places.home, ".claude", "settings.json"), JSON.stringify(options.settings, null, 2));
  await options.beforeStart?.(places.home);
  // By argument: a settings file must not exist before the product writes one.
  const mode = ["--permission-mode", options.permissionMode ?? "default"];
  const agent = await openTerminal(options, places, [executable, ...mode, ...(options.args ?? [])], {
    ...claudeEnvironment(options.model),
    ...(options.ghostSuggestions && { CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "true" }),
  });
  if (options.waitForComposer ?? true) await agent.terminal.waitForScreen(showsClaudeComposer);
  return agent;
}

/** It talks to the fake model and to nothing else. */
export function claudeEnvironment(model: Pick<FakeModel, "url">): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_API_KEY: API_KEY,
    ANTHROPIC_BASE_URL: model.url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_TELEMETRY: "1",
  };
}

/** The composer is a `❯` line between two rules. */
export function showsClaudeComposer(screen: string): boolean {
  return /^─{20,}.*\n❯[\s\u00a0]/m.test(screen);
}

/** The dialog in which Claude asks whether it may run a command. */
export function showsClaudePermissionDialog(screen: string): boolean {
  return screen.includes("Do you want to proceed?");
}

/**
 * A user past the onboarding who trusts these folders. A running Claude writes the same file from what it read before, and
 * could undo a change. So the folders of all agents of a home are named before the first one starts, and nothing is written
 * later.
 */
export function settleClaudeUser(home: string, repos: readonly string[]): void {
  mkdirSync(join(home, ".claude"), { recursive: true });
  const stateFile = join(home, ".claude.json");
  const state: ClaudeState = existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, "utf8")) : {};
  const strangers = repos.filter((repo) => !state.projects?.[repo]?.hasTrustDialogAccepted);
  if (state.hasCompletedOnboarding && strangers.length === 0) return;
  const onboarded = {
    hasCompletedOnboarding: true,
    lastOnboardingVersion: "99.0.0",
    numStartups: 5,
    theme: "dark",
    autoUpdates: false,
    // Claude remembers an API key by its last 20 characters; without this it asks whether to use it.
    customApiKeyResponses: { approved: [API_KEY.slice(-20)], rejected: [] },
  };
  const trusted = {
    hasTrustDialogAccepted: true,
    hasCompletedProjectOnboarding: true,
    projectOnboardingSeenCount: 4,
    allowedTools: [],
  };
  const projects = { ...state.projects, ...Object.fromEntries(strangers.map((repo) => [repo, trusted])) };
  writeFileSync(stateFile, JSON.stringify({ ...onboarded, ...state, projects }, null, 2));
}
