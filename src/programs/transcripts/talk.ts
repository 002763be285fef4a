/** The conversation in an agent's session file: what was said to it, what it said, and which tools it used. */
import type { ConversationReading, Utterance } from "../../ports/transcript.ts";
import { type Fields, fieldsOf, parseLine, timeOf } from "./line.ts";
import { linesBackwards, TooFarBack } from "./lines-backwards.ts";
import type { TranscriptReader } from "./reader.ts";

/** Limit for one utterance; the file has the rest. */
const MOST_CHARACTERS = 32_768;
const MOST_TOOL_CHARACTERS = 200;

/** The newest utterances, in chronological order. */
export async function talkIn(
  path: string,
  reader: Pick<TranscriptReader, "talk" | "lines" | "restated" | "entryId">,
  most: number,
  mostBytes: number,
): Promise<ConversationReading> {
  const found: Utterance[] = [];
  const seen = new Set<string>();
  const read = (): Extract<ConversationReading, { kind: "read" }> => ({
    kind: "read",
    file: path,
    utterances: inTime(found.slice(0, most).toReversed()),
    more: found.length > most,
  });
  try {
    for await (const { text } of (reader.lines ?? linesBackwards)(path, mostBytes)) {
      const line = parseLine(text);
      if (line === undefined) continue;
      const restated = reader.restated?.(line);
      for (const entry of (restated ?? [line]).toReversed()) {
        const id = reader.entryId?.(entry);
        if (id !== undefined && seen.has(id)) continue;
        if (id !== undefined) seen.add(id);
        for (const said of reader.talk(entry).toReversed()) remember(found, { ...said, ...momentOf(entry) });
      }
      if (found.length > most || restated !== undefined) return read();
    }
  } catch (error) {
    if (!(error instanceof TooFarBack)) throw error;
    return { ...read(), more: true };
  }
  return read();
}

/** Some versions write a short answer before the text that it answers. */
function inTime(said: readonly Utterance[]): readonly Utterance[] {
  return said.every(({ at }) => at !== undefined) ? said.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0)) : said;
}

/** Some versions write the same text twice, as an event and as an item. */
function remember(found: Utterance[], said: Utterance): void {
  const text = said.text.trim();
  const after = found.at(-1);
  if (text === "" || (after?.by === said.by && said.by === "prompt" && after.text === text)) return;
  const characters = [...text];
  found.push(
    characters.length <= MOST_CHARACTERS
      ? { ...said, text }
      : { ...said, text: characters.slice(0, MOST_CHARACTERS).join(""), cut: true },
  );
}

function momentOf(line: Fields): Pick<Utterance, "at"> {
  const at = timeOf(line);
  return Number.isNaN(at) ? {} : { at };
}

export function textsOf(text: unknown): readonly string[] {
  return typeof text === "string" ? [text] : [];
}

/** Argument names that best describe a tool call. */
const TELLING = ["command", "cmd", "file_path", "path", "pattern", "query", "url", "description", "prompt"];

/** `Bash: npm test`, in one line. */
export function toolCall(name: unknown, input: unknown): string {
  const fields = fieldsOf(input) ?? {};
  const telling = TELLING.map((key) => fields[key]).find((value) => value !== undefined);
  const about = Array.isArray(telling) ? telling.join(" ") : (telling ?? input);
  const text = typeof about === "string" ? about : about === undefined ? "" : JSON.stringify(about);
  const line = [...text.replace(/\s+/gu, " ").trim()];
  const shown = line.slice(0, MOST_TOOL_CHARACTERS).join("");
  const called = typeof name === "string" ? name : "tool";
  return shown === "" ? called : `${called}: ${shown}${line.length > MOST_TOOL_CHARACTERS ? "…" : ""}`;
}
