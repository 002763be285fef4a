/** A turn of Codex without a terminal: `codex exec`, which may give a resumed conversation a new id. */
import { present } from "../../core/present.ts";
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

/** The rest of its tools asks people or keeps a list: there is no switch for those. */
const NO_TOOLS = ["--disable", "shell_tool", "-c", 'web_search="disabled"'] as const;

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

function question({ model, prompt }: TriageQuestion): HeadlessCommand {
  return {
    words: [
      "codex",
      "exec",
      ...ALWAYS,
      "--ephemeral",
      "--sandbox",
      "read-only",
      ...NO_TOOLS,
      "--model",
      model,
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

export const codexHeadless: Headless = { turn, question, answered, reader: () => new Reader() };
