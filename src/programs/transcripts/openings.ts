/** Which files a session file shows to have been opened: a tool was called with the path, and answered with the text. */
import type { SoughtText } from "../../ports/transcript.ts";
import { type Fields, fieldsOf, parseJson } from "./line.ts";

/** What a line tells of tools, one entry for each. `input` and `answer` are texts, whatever their form was. */
export type ToolSign =
  | { readonly kind: "called"; readonly id: string; readonly input: string }
  | { readonly kind: "answered"; readonly id: string; readonly answer: string };

export function claudeTools(line: Fields): readonly ToolSign[] {
  // What a sub-agent opened, the agent itself has not seen.
  if (line.isSidechain === true) return [];
  const content = fieldsOf(line.message)?.content;
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown): readonly ToolSign[] => {
    const fields = fieldsOf(block);
    if (fields?.type === "tool_use" && typeof fields.id === "string")
      return [{ kind: "called", id: fields.id, input: textIn(fields.input) }];
    if (fields?.type === "tool_result" && typeof fields.tool_use_id === "string" && fields.is_error !== true)
      return [{ kind: "answered", id: fields.tool_use_id, answer: textIn(fields.content) }];
    return [];
  });
}

/** Its tools have several forms (`function_call`, `custom_tool_call`, …), all with the same two halves. */
export function codexTools(line: Fields): readonly ToolSign[] {
  const payload = line.type === "response_item" ? fieldsOf(line.payload) : undefined;
  const id = payload?.call_id;
  if (payload === undefined || typeof id !== "string" || typeof payload.type !== "string") return [];
  if (payload.type.endsWith("_call_output"))
    return [{ kind: "answered", id, answer: textIn(payload.output) }];
  return payload.type.endsWith("_call") ? [{ kind: "called", id, input: textIn(payload) }] : [];
}

/** Newest first: an answer comes before its call. */
export class OpeningSearch {
  readonly #sought: readonly SoughtText[];
  readonly #shown = new Map<string, readonly SoughtText[]>();
  readonly opened = new Set<string>();

  constructor(sought: readonly SoughtText[]) {
    this.#sought = sought;
  }

  get isOver(): boolean {
    return this.opened.size === this.#sought.length;
  }

  see(sign: ToolSign): void {
    if (sign.kind === "answered") {
      const shown = this.#sought.filter(({ id, shows }) => !this.opened.has(id) && shows(sign.answer));
      if (shown.length > 0) this.#shown.set(sign.id, shown);
      return;
    }
    for (const { id, files } of this.#shown.get(sign.id) ?? [])
      if (files.some((file) => sign.input.includes(file))) this.opened.add(id);
  }
}

/** Every string in it, whether it is JSON, a list of parts, or written as JSON inside a text. */
function textIn(value: unknown): string {
  if (typeof value === "string")
    return value.startsWith("{") ? `${value}\n${textIn(parseJson(value))}` : value;
  if (value === null || typeof value !== "object") return "";
  return Object.values(value).map(textIn).join("\n");
}
