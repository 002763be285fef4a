/** A turn of Gemini CLI without a terminal: what it reads from its standard input, with a policy for that turn. */

import { present } from "../../core/present.ts";
import { PROGRAMS_OWN_MODEL } from "../../core/turns/auto-run.ts";
import type { TriageQuestion, TurnOrder, TurnReport } from "../../ports/runner.ts";
import {
  conversationIn,
  doing,
  FILES_FOLDER,
  type Fields,
  fieldsIn,
  type Headless,
  type HeadlessCommand,
  type HeadlessReader,
  isFields,
  type QuestionAnswer,
  textIn,
  tokensIn,
} from "../headless.ts";
import { NO_TOOLS, turnPolicy } from "./permissions.ts";

const ALWAYS = ["--output-format", "stream-json"] as const;
const POLICY = "policy.toml";
const INSTRUCTIONS = "instructions.md";
const ASKED = "Answer exactly in the form that is asked for.";
/** Names no extension and no server of anybody's. */
const NONE = "none";

/**
 * Its standard input is read like a prompt that was typed: `@path` puts that file before the model, and a `/` at the
 * start is a command. Neither is for whoever wrote the message to decide.
 */
export function plainPrompt(prompt: string): string {
  const unexpanded = prompt.replaceAll("@", "\\@");
  return unexpanded.trimStart().startsWith("/") ? `> ${unexpanded}` : unexpanded;
}

function turn({ conversation, role, model, tools, permissionMode, prompt }: TurnOrder): HeadlessCommand {
  const policy = turnPolicy(tools, permissionMode);
  return {
    words: [
      ...["gemini", ...ALWAYS],
      ...(conversation === undefined ? [] : [`--resume=${conversation}`]),
      ...(model === undefined ? [] : [`--model=${model}`]),
      ...(permissionMode === undefined ? [] : [`--approval-mode=${permissionMode}`]),
      ...(policy === undefined ? [] : [`--admin-policy=${FILES_FOLDER}/${POLICY}`]),
    ],
    stdin: plainPrompt(prompt),
    files: present({ [POLICY]: policy, [INSTRUCTIONS]: role }),
    // What takes the place of its own instructions.
    environment: present({ GEMINI_SYSTEM_MD: role && `${FILES_FOLDER}/${INSTRUCTIONS}` }),
  };
}

function question({ model, prompt }: TriageQuestion): HeadlessCommand {
  return {
    words: [
      ...["gemini", ...ALWAYS, `--admin-policy=${FILES_FOLDER}/${POLICY}`],
      ...[`--extensions=${NONE}`, `--allowed-mcp-server-names=${NONE}`],
      ...(model === PROGRAMS_OWN_MODEL ? [] : [`--model=${model}`]),
    ],
    stdin: plainPrompt(prompt),
    files: { [POLICY]: NO_TOOLS, [INSTRUCTIONS]: ASKED },
    environment: {
      GEMINI_SYSTEM_MD: `${FILES_FOLDER}/${INSTRUCTIONS}`,
      // It runs in an empty folder of ours, of which nobody could be asked.
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    },
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
  /** What it said since its last tool. */
  #said = "";
  #result: Fields | undefined;

  line(text: string): string | undefined {
    const event = fieldsIn(text);
    switch (event?.type) {
      case "init":
        this.#conversation = conversationIn(event, "session_id") ?? this.#conversation;
        return undefined;
      case "message":
        return event.role === "assistant" ? this.#says(textIn(event, "content") ?? "") : undefined;
      case "tool_use":
        this.#said = "";
        return doingWith(event);
      case "result":
        this.#result = event;
        return undefined;
      default:
        return undefined;
    }
  }

  #says(piece: string): string | undefined {
    this.#said += piece;
    return this.#said.trim() === "" ? undefined : doing(this.#said);
  }

  ended(): ReturnType<HeadlessReader["ended"]> {
    const stats = isFields(this.#result?.stats) ? this.#result.stats : {};
    const report: TurnReport = present({
      conversation: this.#conversation,
      tokensIn: tokensIn(stats, "input_tokens"),
      tokensOut: tokensIn(stats, "output_tokens"),
    });
    const answer = this.#said.trim();
    if (this.#result?.status === "success" && answer !== "") return { answer, ...report };
    const error = isFields(this.#result?.error) ? this.#result.error : {};
    return { failed: plainly(textIn(error, "message")), ...report };
  }
}

/** The provider's answer stands in the message as JSON, in brackets. */
function plainly(message: string | undefined): string | undefined {
  const inner = /^\[API Error: (.*)\]$/su.exec(message ?? "")?.[1];
  if (inner === undefined) return message;
  const error = fieldsIn(inner)?.error;
  return (isFields(error) ? textIn(error, "message") : undefined) ?? inner;
}

function doingWith(event: Fields): string {
  const parameters = isFields(event.parameters) ? event.parameters : {};
  const about = ["command", "file_path", "pattern", "dir_path", "url", "query", "description"]
    .map((key) => textIn(parameters, key))
    .find((value) => value !== undefined);
  return doing(`${textIn(event, "tool_name") ?? "a tool"}${about === undefined ? "" : `: ${about}`}`);
}

export const geminiHeadless: Headless = { turn, question, answered, reader: () => new Reader() };
