/** A message's text for a model: sanitised, and cut if it is long. */
import { defuseHeaders } from "../core/text/defuse-headers.ts";
import { sanitiseText } from "../core/text/sanitise.ts";
import type { ShownMessage } from "../wire/shapes/messages.ts";
import type { ToolSetting } from "./tool.ts";

/** Several together stay below the limit of agent programs for one tool result. */
export const TEXT_CHARACTERS = 3_000;

export interface ShownText {
  readonly text: string;
  /** What was left out, and where the whole text is. */
  readonly cut?: string;
}

export async function shownText(
  { id, body }: Pick<ShownMessage, "id" | "body">,
  setting: ToolSetting,
): Promise<ShownText> {
  const text = defuseHeaders(sanitiseText(body));
  const characters = [...text];
  if (characters.length <= TEXT_CHARACTERS) return { text };
  // Asking for the message makes sure that its file exists.
  const { file } = (await setting.call("show", { id })).message;
  return {
    text: characters.slice(0, TEXT_CHARACTERS).join(""),
    cut: `The text has ${characters.length} characters; all of it is in ${file}`,
  };
}
