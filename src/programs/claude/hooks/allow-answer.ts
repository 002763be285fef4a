/** The person's answer on whether Claude Code may run Bellhop's commands unasked; also used for hosted terminals. */
import { join } from "node:path";
import { readSettings } from "../../../hooks/settings-file.ts";

export type AllowAnswer = "yes" | "no" | "not-asked";

export function allowAnswerFile(bellhopHome: string): string {
  return join(bellhopHome, "hooks", "allow-rules");
}

export function allowAnswer(bellhopHome: string): AllowAnswer {
  const text = readSettings(allowAnswerFile(bellhopHome))?.trim();
  if (text === undefined) return "not-asked";
  // Anything else does not count as yes.
  return text === "yes" ? "yes" : "no";
}
