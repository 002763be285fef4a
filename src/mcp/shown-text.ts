/** A message's text as a model may read it: made safe, and cut where it is long. */
import { defuseHeaders } from "../core/text/defuse-headers.ts";
import { sanitiseText } from "../core/text/sanitise.ts";
import type { ShownMessage } from "../wire/shapes/messages.ts";
import type { ToolSetting } from "./tool.ts";

/** Several together stay below what programs let one result of a tool have. */
export const TEXT_CHARACTERS = 3_000;

export interface ShownText {
  readonly text: string;
  /** What was left out, and where all of it is. */
  readonly cut?: string;
}

export async function shownText(
  { id, body }: Pick<ShownMessage, "id" | "body">,
  setting: ToolSetting,
): Promise<ShownText> {
  const text = defuseHeaders(sanitiseText(body));
  const characters = [...text];
  if (characters.length <= TEXT_CHARACTERS) return { text };
  // Asking for it makes sure that the file is there.
  const { file } = (await setting.call("show", { id })).message;
  return {
    text: characters.slice(0, TEXT_CHARACTERS).join(""),
    cut: `The text has ${characters.length} characters; all of it is in ${file}`,
  };
}
