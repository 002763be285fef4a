/** What the fake model does with one request. */
export interface ModelPlan {
  /** Wait before the first byte. */
  readonly delaySeconds?: number;
  /** Stream words for this long, so that the agent is busy. */
  readonly slowSeconds?: number;
  /** Stream words until the test calls the request's `finish`, or the program hangs up. */
  readonly untilFinished?: boolean;
  readonly say?: string;
  /** Answer with this HTTP status instead. */
  readonly errorStatus?: number;
  readonly call?: ToolCall;
}

export type ToolCall =
  /** `escalated` asks Codex to leave its sandbox, which opens its permission dialog; Claude ignores it. */
  | { readonly shell: string; readonly escalated?: boolean }
  | { readonly tool: string; readonly input: unknown };

export interface NamedToolCall {
  readonly name: string;
  readonly input: unknown;
}

const DIRECTIVE = /\[\[(\w+)(?:\s+([\s\S]*?))?\]\]/g;

/** Reads `[[busy]] [[slow 8]] [[delay 2]] [[bash CMD]] [[escalate CMD]] [[tool NAME JSON]] [[say TEXT]] [[error 529]]`. */
export function planFromDirectives(text: string): ModelPlan {
  let plan: ModelPlan = {};
  for (const [, verb, argument = ""] of text.matchAll(DIRECTIVE)) {
    plan = { ...plan, ...planFromDirective(verb, argument) };
  }
  return plan;
}

function planFromDirective(verb: string | undefined, argument: string): ModelPlan {
  switch (verb) {
    case "delay":
      return { delaySeconds: Number(argument) };
    case "busy":
      return { untilFinished: true };
    case "slow":
      return { slowSeconds: Number(argument) };
    case "say":
      return { say: argument };
    case "error":
      return { errorStatus: Number(argument) };
    case "bash":
      return { call: { shell: argument } };
    case "escalate":
      return { call: { shell: argument, escalated: true } };
    case "tool":
      return planFromToolDirective(argument);
    default:
      return {};
  }
}

function planFromToolDirective(argument: string): ModelPlan {
  const space = argument.search(/\s/);
  const tool = space < 0 ? argument : argument.slice(0, space);
  const json = space < 0 ? "" : argument.slice(space).trim();
  return { call: { tool, input: json === "" ? {} : JSON.parse(json) } };
}

type ShellInput = (command: string, escalated: boolean) => unknown;

const escalation = (escalated: boolean) =>
  escalated ? { sandbox_permissions: "require_escalated", justification: "the test asks for it" } : {};

/** The shell tool, with the name and the input that each program uses for it. */
const SHELL_TOOLS: Readonly<Record<string, ShellInput>> = {
  Bash: (command) => ({ command, description: "Run a command" }),
  bash: (command) => ({ command, description: "Run a command" }),
  exec_command: (command, escalated) => ({ cmd: command, ...escalation(escalated) }),
  shell_command: (command, escalated) => ({ command, ...escalation(escalated) }),
  run_shell_command: (command) => ({ command, description: "Run a command" }),
  shell: (command, escalated) => ({ command: ["bash", "-lc", command], ...escalation(escalated) }),
};

/** Undefined when the program offered no such tool with this request. */
export function nameToolCall(call: ToolCall, offered: readonly string[]): NamedToolCall | undefined {
  if ("tool" in call) return { name: call.tool, input: call.input };
  for (const [name, input] of Object.entries(SHELL_TOOLS)) {
    if (offered.includes(name)) return { name, input: input(call.shell, call.escalated ?? false) };
  }
  return undefined;
}
