/** Translates the hook events of agent programs into Bellhop's terms. Pure. */
import { isAgentName } from "../core/address.ts";
import { BellhopError } from "../core/errors.ts";
import type { Json } from "../core/message.ts";
import { present } from "../core/present.ts";
import type { TurnEvent } from "../core/readiness/readiness.ts";
import { conversationId } from "../core/session.ts";
import { sanitiseLine } from "../core/text/sanitise.ts";
import type { HookEvent } from "../ports/program.ts";
import type { HookEventRequest } from "../wire/verbs/daemon.ts";
import type { HookedProgram, HookPayload, HookWords } from "./hooked-program.ts";

export function parseHookEvent(
  request: HookEventRequest,
  programs: readonly Pick<HookedProgram, "name" | "words" | "origin">[],
): HookEvent {
  const { program, eventName, emittedAt, takes, answer } = request;
  if (!isAgentName(program)) {
    throw new BellhopError("hooks.unknown_program", {
      message: `"${sanitiseLine(program, 64)}" cannot be the name of a program.`,
      next: `Use ${programs.map(({ name }) => name).join(", ")}, or the name of a profile in config.yaml.`,
    });
  }
  const payload = asObject(request.payload);
  const hooked = programs.find(({ name }) => name === program);
  return {
    program,
    name: eventName,
    emittedAt,
    ...present({
      programSessionId: conversationId(text(payload, "session_id")),
      transcriptPath: text(payload, "transcript_path"),
      folder: text(payload, "cwd"),
      printed: answer,
    }),
    ...(takes === true ? { takes } : {}),
    ...(hooked?.origin ?? terminalOrigin)(request.environment),
    ...(hooked?.words ?? usualWords)(eventName, payload),
  };
}

/** Claude Code's event names, which taught programs use too. */
export function usualWords(eventName: string, payload: HookPayload): HookWords {
  switch (eventName) {
    case "SessionStart": {
      const source = text(payload, "source");
      // A compaction happens within a turn and does not end it.
      return { ...turn(source === "compact" ? undefined : "session-start"), ...detail(source) };
    }
    case "SessionEnd": {
      const reason = text(payload, "reason");
      // The conversation ends, but the program continues with another one.
      const goesOn = reason === "clear" || reason === "resume";
      return { ...turn(goesOn ? undefined : "session-ended"), ...detail(reason) };
    }
    case "Notification": {
      const kind = text(payload, "notification_type");
      return { ...turn(NOTICES.get(kind ?? "")), ...detail(kind) };
    }
    default:
      return commonWords(eventName, payload);
  }
}

/** Events that all programs so far name alike. */
export function commonWords(eventName: string, payload: HookPayload): HookWords {
  const id = text(payload, "agent_id");
  const subAgent = id === undefined ? {} : { subAgent: { id } };
  switch (eventName) {
    case "UserPromptSubmit": {
      const prompt = payload.prompt;
      return { ...turn("prompt-submitted"), ...subAgent, ...(typeof prompt === "string" ? { prompt } : {}) };
    }
    case "Stop":
      return { ...turn("turn-ended"), ...subAgent, ...goneOn(payload) };
    case "StopFailure":
      return { ...turn("turn-failed"), ...subAgent, ...detail(text(payload, "error")) };
    // Even if a sub-agent asks, the dialog appears in the agent's terminal, so it never belongs to the sub-agent alone.
    case "PermissionRequest":
      return { ...turn("permission-asked"), ...detail(text(payload, "tool_name")) };
    case "SubagentStart":
    case "SubagentStop": {
      // Claude's prompt suggestions end like a sub-agent that never started; only they have no type.
      if (id === undefined || text(payload, "agent_type") === undefined) return subAgent;
      return { subAgent: { id, change: eventName === "SubagentStart" ? "started" : "stopped" } };
    }
    case "PostToolUse": {
      const opened =
        text(payload, "tool_name") === "Read" ? text(asObject(payload.tool_input), "file_path") : undefined;
      return { ...subAgent, ...present({ opened }), ofTool: true };
    }
    default:
      return subAgent;
  }
}

/** For whoever names the end of a turn differently: whether a hook's answer had made it go on. */
export function goneOn(payload: HookPayload): Pick<HookEvent, "continued"> {
  return payload.stop_hook_active === true ? { continued: true } : {};
}

const NOTICES: ReadonlyMap<string, TurnEvent> = new Map([
  ["idle_prompt", "idle-notice"],
  ["permission_prompt", "permission-asked"],
  ["worker_permission_prompt", "permission-asked"],
  ["elicitation_dialog", "permission-asked"],
]);

/** The session id that we set for it, and the pane it runs in. */
export function terminalOrigin(environment: Readonly<Record<string, string>>): Partial<HookEvent> {
  const session = environment.BELLHOP_SESSION_ID;
  return {
    ...tmuxOrigin(environment),
    ...(session === undefined || session === "" ? {} : { bellhopSession: session }),
  };
}

function tmuxOrigin({ TMUX, TMUX_PANE }: Readonly<Record<string, string>>): Pick<HookEvent, "tmux"> {
  // "socket,server pid,session": only the socket may contain a comma.
  const socket = /^(.+),\d+,\d+$/s.exec(TMUX ?? "")?.[1];
  const pane = /^%\d+$/.exec(TMUX_PANE ?? "")?.[0];
  return socket === undefined || pane === undefined ? {} : { tmux: { socket, pane } };
}

function turn(event: TurnEvent | undefined): Pick<HookEvent, "turn"> {
  return present({ turn: event });
}

const LONGEST_DETAIL = 200;

export function detail(value: string | undefined): Pick<HookEvent, "detail"> {
  return present({ detail: value?.slice(0, LONGEST_DETAIL) });
}

/** Absent, empty or of another type: all count as not given. */
export function text(payload: HookPayload, name: string): string | undefined {
  const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

function asObject(payload: Json | undefined): HookPayload {
  return payload !== null && typeof payload === "object" && !Array.isArray(payload)
    ? (payload as HookPayload)
    : {};
}
