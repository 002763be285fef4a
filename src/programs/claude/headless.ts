/** A turn of Claude Code without a terminal: `claude -p`, which resumes its conversation under the same id. */

import { present } from "../../core/present.ts";
import { PROGRAMS_OWN_MODEL } from "../../core/turns/auto-run.ts";
import type { TriageQuestion, TurnOrder, TurnReport } from "../../ports/runner.ts";
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

/**
 * A prompt on the standard input is read like a typed one: `@path` puts that file before the model without asking, and a
 * `/` at the start is a command. Neither is for whoever wrote the message to decide. (Seen in 2.1.325; an `@` within a
 * word, as in an e-mail address, is left alone there, and here.)
 */
export function plainPrompt(prompt: string): string {
  const unexpanded = prompt.replace(/(?<!\w)@+(?=\S)/gu, "$& ");
  return unexpanded.trimStart().startsWith("/") ? `> ${unexpanded}` : unexpanded;
}

function turn({ conversation, role, model, tools, permissionMode, prompt }: TurnOrder): HeadlessCommand {
  return {
    words: [
      "claude",
      ...["-p", "--output-format", "stream-json", "--verbose"],
      ...(conversation === undefined ? [] : ["--resume", conversation]),
      ...(model === undefined ? [] : ["--model", model]),
      ...(role === undefined ? [] : ["--append-system-prompt", role]),
      ...(permissionMode === undefined ? [] : ["--permission-mode", permissionMode]),
      ...(tools.length === 0 ? [] : ["--allowedTools", tools.join(",")]),
    ],
    stdin: plainPrompt(prompt),
  };
}

function question({ model, prompt }: TriageQuestion): HeadlessCommand {
  return {
    words: [
      "claude",
      ...["-p", "--max-turns", "1", "--settings", '{"disableAllHooks":true}'],
      ...["--tools", "", "--strict-mcp-config", "--no-session-persistence", "--setting-sources", ""],
      ...["--disable-slash-commands", "--output-format", "json"],
      ...(model === PROGRAMS_OWN_MODEL ? [] : ["--model", model]),
    ],
    stdin: plainPrompt(prompt),
    // A failed request is not worth waiting for: the owner's rule for it is quicker.
    environment: { CLAUDE_CODE_MAX_RETRIES: "0" },
  };
}

function answered(stdout: string): QuestionAnswer | undefined {
  const said = fieldsIn(stdout.trim());
  const result = said === undefined ? undefined : textIn(said, "result");
  if (said === undefined || result === undefined) return undefined;
  return said.is_error === true
    ? { failed: result }
    : { answer: result, ...present({ usd: amountIn(said, "total_cost_usd") }) };
}

class Reader implements HeadlessReader {
  #conversation: string | undefined;
  #result: Fields | undefined;

  line(text: string): string | undefined {
    const said = fieldsIn(text);
    if (said === undefined) return undefined;
    this.#conversation = textIn(said, "session_id") ?? this.#conversation;
    if (said.type === "result") this.#result = said;
    return said.type === "assistant" ? doingNow(said) : undefined;
  }

  ended(): ReturnType<HeadlessReader["ended"]> {
    const result = this.#result;
    if (result === undefined) return { failed: undefined, ...this.#report({}) };
    const report = this.#report(result);
    const answer = textIn(result, "result");
    if (result.is_error === true || answer === undefined)
      return { failed: answer ?? textIn(result, "subtype"), ...report };
    return { answer, ...report };
  }

  #report(result: Fields): TurnReport {
    const usage = isFields(result.usage) ? result.usage : {};
    const input = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"].flatMap(
      (key) => amountIn(usage, key) ?? [],
    );
    return present({
      conversation: this.#conversation,
      usd: costOf(result),
      tokensIn: input.length === 0 ? undefined : input.reduce((all, one) => all + one, 0),
      tokensOut: amountIn(usage, "output_tokens"),
    });
  }
}

/** Newer releases count the whole conversation in `total_cost_usd` when it is resumed, and this run's part apart. */
function costOf(result: Fields): number | undefined {
  const models = result.model_usage_since_last_result;
  if (!isFields(models)) return amountIn(result, "total_cost_usd");
  return Object.values(models)
    .filter(isFields)
    .reduce((all, used) => all + (amountIn(used, "costUSD") ?? 0), 0);
}

function doingNow({ message }: Fields): string | undefined {
  const content = isFields(message) && Array.isArray(message.content) ? message.content : [];
  for (const part of content.filter(isFields).toReversed()) {
    if (part.type === "tool_use") {
      const input = isFields(part.input) ? part.input : {};
      const about = ["command", "file_path", "pattern", "path", "url", "description"]
        .map((key) => textIn(input, key))
        .find((value) => value !== undefined);
      return doing(`${textIn(part, "name") ?? "a tool"}${about === undefined ? "" : `: ${about}`}`);
    }
    const text = part.type === "text" ? textIn(part, "text") : undefined;
    if (text !== undefined && text.trim() !== "") return doing(text);
  }
  return undefined;
}

export const claudeHeadless: Headless = { turn, question, answered, reader: () => new Reader() };
