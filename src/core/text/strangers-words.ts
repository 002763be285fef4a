import { sanitiseLine } from "./sanitise.ts";

/** Words of a server or of another host inside a sentence of ours: nobody may take them for Bellhop's. */
export function inQuotes(text: string, max: number): string {
  const line = sanitiseLine(text)
    .replace(/["“”„‟＂]/gu, "’")
    .replace(/\s+/gu, " ")
    .trim();
  const shown = sanitiseLine(line, max);
  return shown === line ? `"${line}"` : `"${sanitiseLine(line, max - 1)}…"`;
}
