/** A refusal that a model can act on: the usual code and message, and the next step in terms of these tools. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { BellhopError, ErrorCode, ErrorDetail } from "../core/errors.ts";
import { nearest } from "../core/text/nearest.ts";
import { sanitiseLine, sanitiseText } from "../core/text/sanitise.ts";
import { DEAD_LETTER_ADVICE } from "./sent.ts";
import type { ToolSetting } from "./tool.ts";

const MOST_NAMES = 20;

const ASK_THE_USER = "Tell your user that Bellhop's daemon cannot be used; `bellhop doctor` says why.";

/** For errors whose usual advice is a command line. */
const NEXT: Partial<Record<ErrorCode, string>> = {
  "recipient.ambiguous": "Call again with exactly one of the candidates.",
  "recipient.elsewhere": "You can write to it with send_message; everything else works only where it runs.",
  "host.unknown":
    "See list_agents for who can be reached; your user admits hosts with `bellhop cluster admit`.",
  "message.unknown":
    "Use the id after # in a message's header, or one that send_message, reply or inbox gave.",
  "message.ambiguous": "Give the whole id.",
  "message.too_large": "Write it to a file that the recipient can read, and send the path.",
  "reminder.invalid":
    'Give one of in ("5m"), at ("17:30"), every ("30m") or cron ("0 9 * * 1-5"); only every may follow in or at.',
  "pattern.unknown": "There is nothing to remove.",
  "pattern.own": "You always get what is sent to you by name; that cannot be removed.",
  "session.unknown": "See list_agents for the sessions that exist.",
  "request.throttled": "Wait for the answers to your other calls, then call again.",
  "daemon.unreachable":
    "It may or may not have been done: look with inbox or message_status before you try again. If it fails again, tell your user to run `bellhop status`.",
  "daemon.stopping": "Try again in a moment; the daemon is started again when it is needed.",
  "daemon.not_running": ASK_THE_USER,
  "daemon.start_failed": ASK_THE_USER,
  "daemon.blocked": "Tell your user that a sandbox does not let this MCP server reach Bellhop's socket.",
  "internal.bug": "Tell your user to look at `bellhop logs`.",
};

export async function failure(
  error: BellhopError,
  given?: unknown,
  setting?: ToolSetting,
): Promise<CallToolResult> {
  const detail = await detailFor(error, given, setting);
  return {
    isError: true,
    // No structured content: some clients refuse a result that does not have the declared shape.
    content: [{ type: "text", text: JSON.stringify({ error: detail }) }],
  };
}

async function detailFor(
  error: BellhopError,
  given: unknown,
  setting: ToolSetting | undefined,
): Promise<ErrorDetail> {
  const { code, candidates } = error;
  const detail = {
    code,
    message: sanitiseText(error.message),
    next: NEXT[code] ?? sanitiseText(error.next),
    ...(candidates === undefined ? {} : { candidates: candidates.map((each) => sanitiseLine(each)) }),
  };
  const names = setting !== undefined && code === "recipient.unknown" ? await namesHere(setting) : undefined;
  if (names === undefined) return detail;
  const first = error.next === DEAD_LETTER_ADVICE ? `${DEAD_LETTER_ADVICE} ` : "";
  return { ...detail, next: `${first}${whoIsThere(names, given)}`, candidates: names.slice(0, MOST_NAMES) };
}

function whoIsThere(names: readonly string[], given: unknown): string {
  if (names.length === 0) return "No agent is here; your user can make one with `bellhop agent add NAME`.";
  const { to } = (given ?? {}) as { readonly to?: unknown };
  const meant = typeof to === "string" ? nearest(to, names) : undefined;
  const guess = meant === undefined ? "" : `Did you mean "${meant}"? `;
  const more = names.length > MOST_NAMES ? " and more, see list_agents" : "";
  return `${guess}These are here: ${names.slice(0, MOST_NAMES).join(", ")}${more}.`;
}

async function namesHere({ call }: ToolSetting): Promise<readonly string[] | undefined> {
  try {
    return (await call("agent_list", {})).agents.map(({ name }) => name);
  } catch {
    return undefined;
  }
}
