/** The programs that Bellhop hooks, and which of their events it wants. */
export const HOOKED_PROGRAMS = ["claude", "codex"] as const;
export type HookedProgram = (typeof HOOKED_PROGRAMS)[number];

export function isHookedProgram(name: string): name is HookedProgram {
  return (HOOKED_PROGRAMS as readonly string[]).includes(name);
}

export const HOOKED_EVENTS: Readonly<Record<HookedProgram, readonly string[]>> = {
  claude: [
    "SessionStart",
    "UserPromptSubmit",
    "Stop",
    "StopFailure",
    "PermissionRequest",
    "Notification",
    "SubagentStart",
    "SubagentStop",
    "SessionEnd",
  ],
  codex: [
    "SessionStart",
    "UserPromptSubmit",
    "Stop",
    "PermissionRequest",
    "Interrupt",
    "SubagentStart",
    "SubagentStop",
    "SessionEnd",
  ],
};

/** Whose answer the program reads; every other hook prints nothing. */
export const ANSWERED_EVENTS: readonly string[] = ["SessionStart", "UserPromptSubmit"];

/** What a hook passes on of its environment. Nothing for Codex: see `claudeOrigin` in events.ts. */
export const HOOK_ENVIRONMENT: Readonly<Record<HookedProgram, readonly string[]>> = {
  claude: ["CLAUDE_PID", "AI_AGENT", "BELLHOP_SESSION_ID", "TMUX", "TMUX_PANE"],
  codex: [],
};

/** Of a program that the owner taught: it is found by its terminal. */
export const TAUGHT_ENVIRONMENT: readonly string[] = ["BELLHOP_SESSION_ID", "TMUX", "TMUX_PANE"];

/** How long the program lets a hook run, in seconds. Our own deadline is shorter; Codex allows these two no more. */
export function hookTimeoutSeconds(program: HookedProgram, event: string): number {
  return program === "codex" && (event === "SessionEnd" || event === "Interrupt") ? 3 : 10;
}
