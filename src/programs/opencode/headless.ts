/** A turn of OpenCode without a terminal: `opencode run`, which goes on with its session under the same id. */

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
  textIn,
} from "../headless.ts";
import { NO_TOOLS, permissions } from "./permissions.ts";

/** The agent that each turn defines for itself: nobody else's settings for an agent come after its own. */
const AGENT = "bellhop";
const ALWAYS = ["--format", "json", "--agent", AGENT] as const;

/** What takes the place of its long instructions for work on code. */
const ASKED = "Answer exactly in the form that is asked for.";

/** The prompt goes to the model as it stands: on the standard input, neither `@path` nor `/` means anything to it. */
function turn(order: TurnOrder): HeadlessCommand {
  const { conversation, folder, agent, role, model, tools, permissionMode, prompt } = order;
  return {
    words: [
      ...["opencode", "run", ...ALWAYS],
      // By itself it trusts the variable PWD.
      ...["--dir", folder],
      // With a title of ours, no model is asked for one.
      conversation === undefined ? `--title=${agent}` : `--session=${conversation}`,
      ...(model === undefined ? [] : [`--model=${model}`]),
    ],
    stdin: prompt,
    environment: {
      OPENCODE_CONFIG_CONTENT: configWith({
        ...present({ prompt: role }),
        permission: permissions(tools, permissionMode),
      }),
    },
  };
}

function question({ model, prompt }: TriageQuestion): HeadlessCommand {
  return {
    words: [
      ...["opencode", "run", ...ALWAYS, "--pure", "--title=triage"],
      ...(model === PROGRAMS_OWN_MODEL ? [] : [`--model=${model}`]),
    ],
    stdin: prompt,
    environment: {
      OPENCODE_CONFIG_CONTENT: configWith({ prompt: ASKED, permission: NO_TOOLS }),
      // Nobody will go on with it.
      OPENCODE_DB: ":memory:",
    },
  };
}

/** In its configuration `{file:…}` and `{env:…}` stand for what is there: not in ours. */
function configWith(agent: Fields): string {
  const config = { agent: { [AGENT]: { mode: "primary", ...agent } } };
  return JSON.stringify(config).replace(/\{(?=file:|env:)/gu, "\\u007b");
}

function answered(stdout: string): { readonly answer: string; readonly usd?: number } | undefined {
  const reader = new Reader();
  for (const line of stdout.split("\n")) reader.line(line);
  const said = reader.ended();
  return "answer" in said ? { answer: said.answer, ...present({ usd: said.usd }) } : undefined;
}

interface Sums {
  usd?: number;
  tokensIn?: number;
  tokensOut?: number;
}

class Reader implements HeadlessReader {
  #conversation: string | undefined;
  /** What it said in its last step: an answer, if it did nothing after that. */
  #said: string[] = [];
  #isComplete = false;
  #failed: string | undefined;
  readonly #sums: Sums = {};

  line(text: string): string | undefined {
    const event = fieldsIn(text);
    if (event === undefined) return undefined;
    this.#conversation = textIn(event, "sessionID") ?? this.#conversation;
    const part = isFields(event.part) ? event.part : {};
    switch (event.type) {
      case "step_start":
        this.#said = [];
        this.#isComplete = false;
        return undefined;
      case "text":
        return this.#says(textIn(part, "text") ?? "");
      case "tool_use":
        return doingWith(part);
      case "step_finish":
        this.#isComplete = part.reason !== "tool-calls";
        this.#count(part);
        return undefined;
      case "error":
        this.#failed = (isFields(event.error) ? plainly(event.error) : undefined) ?? "it failed";
        return undefined;
      default:
        return undefined;
    }
  }

  #says(text: string): string | undefined {
    if (text.trim() === "") return undefined;
    this.#said.push(text);
    return doing(text);
  }

  /** Each step counts for itself, also in a session that goes on. */
  #count(step: Fields): void {
    const tokens = isFields(step.tokens) ? step.tokens : {};
    const cache = isFields(tokens.cache) ? tokens.cache : {};
    const add = (to: keyof Sums, ...amounts: readonly (number | undefined)[]) => {
      for (const amount of amounts) if (amount !== undefined) this.#sums[to] = (this.#sums[to] ?? 0) + amount;
    };
    add("usd", amountIn(step, "cost"));
    add("tokensIn", amountIn(tokens, "input"), amountIn(cache, "read"), amountIn(cache, "write"));
    add("tokensOut", amountIn(tokens, "output"), amountIn(tokens, "reasoning"));
  }

  ended(): ReturnType<HeadlessReader["ended"]> {
    const report: TurnReport = present({ conversation: this.#conversation, ...this.#sums });
    if (this.#failed !== undefined || !this.#isComplete || this.#said.length === 0)
      return { failed: this.#failed, ...report };
    return { answer: this.#said.join("\n\n"), ...report };
  }
}

function plainly(error: Fields): string | undefined {
  return (isFields(error.data) ? textIn(error.data, "message") : undefined) ?? textIn(error, "name");
}

/** It reports a tool only when that has ended. */
function doingWith(part: Fields): string {
  const state = isFields(part.state) ? part.state : {};
  const input = isFields(state.input) ? state.input : {};
  const about = ["command", "filePath", "pattern", "path", "url", "description"]
    .map((key) => textIn(input, key))
    .find((value) => value !== undefined);
  return doing(`${textIn(part, "tool") ?? "a tool"}${about === undefined ? "" : `: ${about}`}`);
}

export const opencodeHeadless: Headless = { turn, question, answered, reader: () => new Reader() };
