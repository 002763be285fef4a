/** A turn of Codex without a terminal: `codex exec`, which may give a resumed conversation a new id. */

import { present } from "../../core/present.ts";
import { PROGRAMS_OWN_MODEL } from "../../core/turns/auto-run.ts";
import type { TriageQuestion, TurnOrder } from "../../ports/runner.ts";
import {
  amountIn,
  doing,
  type Fields,
  fieldsIn,
  type Headless,
  type HeadlessCommand,
  type HeadlessReader,
  isFields,
  type QuestionAnswer,
  textIn,
} from "../headless.ts";

const ALWAYS = ["--json", "--skip-git-repo-check"] as const;

/** By key, because a release that does not know one of them refuses it as `--disable`. */
const FEATURES_WITH_TOOLS = [
  ...["apps", "browser_use", "computer_use", "goals", "image_generation", "multi_agent", "plugins"],
  ...["shell_tool", "sleep_tool", "view_image"],
];

/** A table or a key with dots; within the table of all servers; and those that stand in one line. */
const SERVER = /^\s*\[?\s*mcp_servers\s*\.\s*["']?([\w-]+)/gmu;
const SERVERS_TABLE = /^\s*\[\s*mcp_servers\s*\](.*(?:\n(?!\s*\[).*)*)/gmu;
const IN_TABLE = /^\s*["']?([\w-]+)["']?\s*[.=]/gmu;
const SERVERS_LINE = /^\s*mcp_servers\s*=\s*\{(.*)$/gmu;
const IN_LINE = /["']?([\w-]+)["']?\s*=\s*\{/gu;

/** The servers that its user has registered: each may do what it likes, some without asking. */
function serversIn(settings: string): readonly string[] {
  const within = (part: RegExp, name: RegExp) =>
    [...settings.matchAll(part)].flatMap(([, text = ""]) => [...text.matchAll(name)]);
  const found = [
    ...settings.matchAll(SERVER),
    ...within(SERVERS_TABLE, IN_TABLE),
    ...within(SERVERS_LINE, IN_LINE),
  ];
  return [...new Set(found.flatMap(([, name]) => name ?? []))];
}

function settingsFile(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const { CODEX_HOME: own, HOME: home } = environment;
  if (own !== undefined && own !== "") return `${own}/config.toml`;
  return home === undefined || home === "" ? undefined : `${home}/.codex/config.toml`;
}

/** `permissionMode` is its sandbox; without one, its own config decides. Nobody is there to be asked. */
function turn({ conversation, role, model, permissionMode, prompt }: TurnOrder): HeadlessCommand {
  const settings = [
    ...["-c", 'approval_policy="never"'],
    ...(permissionMode === undefined ? [] : ["-c", `sandbox_mode=${JSON.stringify(permissionMode)}`]),
    ...(role === undefined ? [] : ["-c", `developer_instructions=${JSON.stringify(role)}`]),
    ...(model === undefined ? [] : ["--model", model]),
  ];
  const how = conversation === undefined ? [] : ["resume"];
  const which = conversation === undefined ? [] : [conversation];
  return { words: ["codex", "exec", ...how, ...ALWAYS, ...settings, ...which, "-"], stdin: prompt };
}

/** What is left of its tools asks people or keeps a list: there is no switch for those. */
function question({ model, prompt }: TriageQuestion, settings: string): HeadlessCommand {
  const off = [
    'web_search="disabled"',
    ...FEATURES_WITH_TOOLS.map((feature) => `features.${feature}=false`),
    ...serversIn(settings).map((server) => `mcp_servers.${server}.enabled=false`),
  ];
  return {
    words: [
      ...["codex", "exec", ...ALWAYS, "--ephemeral", "--sandbox", "read-only"],
      ...off.flatMap((setting) => ["-c", setting]),
      ...(model === PROGRAMS_OWN_MODEL ? [] : ["--model", model]),
      "-",
    ],
    stdin: prompt,
  };
}

function answered(stdout: string): QuestionAnswer | undefined {
  const reader = new Reader();
  for (const line of stdout.split("\n")) reader.line(line);
  const said = reader.ended();
  if ("answer" in said) return { answer: said.answer };
  return said.failed === undefined ? undefined : { failed: said.failed };
}

class Reader implements HeadlessReader {
  #conversation: string | undefined;
  #answer: string | undefined;
  #usage: Fields = {};
  #completed = false;
  #failed: string | undefined;

  line(text: string): string | undefined {
    const said = fieldsIn(text);
    switch (said?.type) {
      case "thread.started":
        this.#conversation = textIn(said, "thread_id");
        return undefined;
      case "turn.completed":
        this.#completed = true;
        if (isFields(said.usage)) this.#usage = said.usage;
        return undefined;
      case "turn.failed":
        this.#failed =
          (isFields(said.error) ? plainly(said.error) : undefined) ?? this.#failed ?? "it failed";
        return undefined;
      case "error":
        this.#failed ??= plainly(said);
        return undefined;
      case "item.started":
      case "item.completed":
        return isFields(said.item) ? this.#item(said.item, said.type === "item.completed") : undefined;
      default:
        return undefined;
    }
  }

  #item(item: Fields, isCompleted: boolean): string | undefined {
    const text = textIn(item, "text");
    if (item.type === "agent_message" && isCompleted && text !== undefined) {
      this.#answer = text;
      return doing(text);
    }
    if (isCompleted) return undefined;
    const about = textIn(item, "command") ?? textIn(item, "tool") ?? textIn(item, "query");
    return about === undefined ? undefined : doing(`${textIn(item, "type") ?? "working"}: ${about}`);
  }

  ended(): ReturnType<HeadlessReader["ended"]> {
    // The tokens are those of the whole conversation, as it reports them.
    const report = present({
      conversation: this.#conversation,
      tokensIn: amountIn(this.#usage, "input_tokens"),
      tokensOut: amountIn(this.#usage, "output_tokens"),
    });
    // It reports an error for each try, and may succeed after that.
    if (this.#completed && this.#answer !== undefined) return { answer: this.#answer, ...report };
    return { failed: this.#failed, ...report };
  }
}

/** The provider's answer stands in the message as JSON. */
function plainly(error: Fields): string | undefined {
  const message = textIn(error, "message");
  const inner = message === undefined ? undefined : fieldsIn(message)?.error;
  return (isFields(inner) ? textIn(inner, "message") : undefined) ?? message;
}

export const codexHeadless: Headless = {
  turn,
  settingsFile,
  question,
  answered,
  reader: () => new Reader(),
};
