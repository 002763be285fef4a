import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Json } from "../core/message.ts";
import type { HookEvent } from "../ports/program.ts";
import { HOOKED_PROGRAMS } from "../programs/index.ts";
import { parseHookEvent } from "./events.ts";

interface Sample {
  readonly event_name: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly payload: { readonly [key: string]: Json };
}

function samples(program: string): readonly Sample[] {
  const file = new URL(`../../fixtures/hooks/${program}.jsonl`, import.meta.url);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Sample);
}

function parse(program: string, { event_name, environment, payload }: Sample): HookEvent {
  return parseHookEvent(
    { program, eventName: event_name, emittedAt: 7, environment, payload },
    HOOKED_PROGRAMS,
  );
}

function say(program: string, eventName: string, payload: Json, environment = {}): HookEvent {
  return parseHookEvent({ program, eventName, emittedAt: 7, payload, environment }, HOOKED_PROGRAMS);
}

/** name | version | turn | sub-agent | prompt | detail */
const GOLDEN: Readonly<Record<string, readonly string[]>> = {
  claude: [
    "SessionStart | 2.1.325 | session-start | - | - | startup",
    "UserPromptSubmit | 2.1.325 | prompt-submitted | - | hello first prompt | -",
    "Stop | 2.1.325 | turn-ended | - | - | -",
    "Notification | 2.1.325 | idle-notice | - | - | idle_prompt",
    "SessionEnd | 2.1.325 | session-ended | - | - | other",
    "PreToolUse | 2.1.325 | - | - | - | -",
    "PermissionRequest | 2.1.325 | permission-asked | - | - | Bash",
    "PostToolUse | 2.1.325 | - | - | - | -",
    "PostToolBatch | 2.1.325 | - | - | - | -",
    // A prompt suggestion: it ends no turn.
    'SubagentStop | 2.1.325 | - | {"id":"a91661d27b41bec91"} | - | -',
    "Notification | 2.1.325 | permission-asked | - | - | permission_prompt",
    "StopFailure | 2.1.325 | turn-failed | - | - | unknown",
    "SessionStart | 2.1.197 | session-start | - | - | startup",
    "UserPromptSubmit | 2.1.197 | prompt-submitted | - | ATOM197 0\nl2\nl3\nl4 | -",
    "Stop | 2.1.197 | turn-ended | - | - | -",
    "SessionEnd | 2.1.197 | session-ended | - | - | other",
  ],
  codex: [
    "SessionStart | - | session-start | - | - | startup",
    "UserPromptSubmit | - | prompt-submitted | - | hello codex | -",
    "Stop | - | turn-ended | - | - | -",
    "PreToolUse | - | - | - | - | -",
    "PermissionRequest | - | permission-asked | - | - | Bash",
    "SessionEnd | - | - | - | - | other",
    "PostToolUse | - | - | - | - | -",
    "Interrupt | - | turn-failed | - | - | -",
  ],
};

describe("parseHookEvent on what the real programs sent", () => {
  it.each(["claude", "codex"])("understands every event of %s", (program) => {
    const said = samples(program).map((sample) => {
      const { name, turn, subAgent, prompt, detail, version } = parse(program, sample);
      return [name, version, turn, subAgent, prompt, detail]
        .map((part) => (part === undefined ? "-" : typeof part === "string" ? part : JSON.stringify(part)))
        .join(" | ");
    });
    expect(said).toEqual(GOLDEN[program]);
  });

  it("reports the conversation, its file and its folder", () => {
    for (const program of ["claude", "codex"]) {
      for (const sample of samples(program)) {
        expect(parse(program, sample)).toMatchObject({
          program,
          emittedAt: 7,
          programSessionId: sample.payload.session_id,
          transcriptPath: sample.payload.transcript_path,
          folder: "/home/dev/repo",
        });
      }
    }
  });

  it("places Claude Code by its own pid, and an old version that has none by its pane", () => {
    const [current] = samples("claude");
    const old = samples("claude").at(-1);
    if (current === undefined || old === undefined) throw new Error("no samples");
    const { agentPid, tmux } = parse("claude", current);
    expect({ agentPid, tmux }).toEqual({ agentPid: 4242, tmux: undefined });
    expect(parse("claude", old).tmux).toEqual({ socket: "/run/user/1000/tmux/default", pane: "%0" });
  });

  it("takes nothing of Codex's environment, which is that of the window that started its server", () => {
    const environment = {
      TMUX: "/tmp/tmux,1,0",
      TMUX_PANE: "%3",
      CLAUDE_PID: "12",
      BELLHOP_SESSION_ID: "08bc57cf",
    };
    const event = say("codex", "Stop", { session_id: "t" }, environment);
    expect(event).toEqual({
      program: "codex",
      name: "Stop",
      emittedAt: 7,
      programSessionId: "t",
      turn: "turn-ended",
    });
  });
});

describe("parseHookEvent", () => {
  it("keeps a prompt byte for byte", () => {
    const prompt = " \t/x\r\n\u200bé ";
    expect(say("claude", "UserPromptSubmit", { prompt }).prompt).toBe(prompt);
    expect(say("codex", "UserPromptSubmit", { prompt: "" }).prompt).toBe("");
  });

  it("lets a compaction end nothing", () => {
    expect(say("claude", "SessionStart", { source: "compact" }).turn).toBeUndefined();
    expect(say("codex", "SessionStart", { source: "compact" }).turn).toBeUndefined();
    expect(say("claude", "SessionStart", { source: "clear" }).turn).toBe("session-start");
  });

  it("knows that a cleared conversation is not a program that ended", () => {
    expect(say("claude", "SessionEnd", { reason: "clear" }).turn).toBeUndefined();
    expect(say("claude", "SessionEnd", { reason: "prompt_input_exit" }).turn).toBe("session-ended");
    expect(say("codex", "SessionEnd", { reason: "other" }).turn).toBeUndefined();
  });

  it("takes an interrupt of Codex as a turn that failed: ended, and perhaps unread", () => {
    expect(say("codex", "Interrupt", { session_id: "t" }).turn).toBe("turn-failed");
  });

  it("names the sub-agent that an event comes from", () => {
    const inside = { agent_id: "a1", agent_type: "reviewer" };
    expect(say("claude", "Stop", inside)).toMatchObject({ turn: "turn-ended", subAgent: { id: "a1" } });
    expect(say("claude", "SubagentStart", inside).subAgent).toEqual({ id: "a1", change: "started" });
    expect(say("claude", "SubagentStop", inside).subAgent).toEqual({ id: "a1", change: "stopped" });
  });

  it("does not take a session that runs as a named agent for a sub-agent", () => {
    expect(say("claude", "Stop", { agent_type: "reviewer" }).subAgent).toBeUndefined();
  });

  it("counts a sub-agent's dialog as the terminal's", () => {
    const asked = say("claude", "PermissionRequest", { agent_id: "a1", agent_type: "x", tool_name: "Bash" });
    expect(asked).toMatchObject({ turn: "permission-asked", detail: "Bash" });
    expect(asked.subAgent).toBeUndefined();
  });

  it("makes nothing of a notice it does not know", () => {
    expect(say("claude", "Notification", { notification_type: "auth_success" }).turn).toBeUndefined();
    expect(say("claude", "Notification", {}).turn).toBeUndefined();
  });

  it.each([null, "x", 3, [], {}])("survives the payload %j", (payload) => {
    expect(say("claude", "UserPromptSubmit", payload)).toEqual({
      program: "claude",
      name: "UserPromptSubmit",
      emittedAt: 7,
      turn: "prompt-submitted",
    });
  });

  it("does not read inherited properties", () => {
    const payload = JSON.parse('{"__proto__":{"session_id":"x"}}') as Json;
    expect(say("claude", "Stop", payload).programSessionId).toBeUndefined();
  });

  it.each(["--dangerously-skip-permissions", "a\0b", "x".repeat(200_000)])(
    "learns no conversation that could be more than an id: %j",
    (id) => {
      expect(say("claude", "Stop", { session_id: id }).programSessionId).toBeUndefined();
    },
  );

  it("takes a tmux socket with a comma in its path", () => {
    const environment = { TMUX: "/tmp/a,b/default,41,0", TMUX_PANE: "%12" };
    expect(say("claude", "Stop", {}, environment).tmux).toEqual({ socket: "/tmp/a,b/default", pane: "%12" });
  });

  it("takes the same words from a program that the owner taught, found by its terminal", () => {
    const event = parseHookEvent(
      {
        program: "my-agent",
        eventName: "Stop",
        emittedAt: 1,
        payload: {},
        environment: { TMUX: "/run/tmux,12,0", TMUX_PANE: "%3" },
      },
      HOOKED_PROGRAMS,
    );
    expect(event).toMatchObject({
      program: "my-agent",
      turn: "turn-ended",
      tmux: { socket: "/run/tmux", pane: "%3" },
    });
  });

  it("refuses what cannot be a program's name", () => {
    expect(() => say("../vim", "Stop", {})).toThrowError(/cannot be the name of a program/);
  });
});
