/** The prompt in a message of OpenCode. Pure. */
import { type Fields, fieldsOf } from "../../transcripts/line.ts";
import type { PromptSign } from "../../transcripts/reader.ts";

export function readOpencodeLine(line: Fields): PromptSign | undefined {
  if (line.role !== "user") return undefined;
  const texts = partsOf(line, "text").flatMap(({ text, synthetic }) =>
    typeof text === "string" && synthetic !== true ? [text] : [],
  );
  return texts.length === 0 ? undefined : { as: line.read === true ? "turn" : "queued", texts };
}

export function partsOf({ parts }: Fields, type: string): readonly Fields[] {
  const all: readonly unknown[] = Array.isArray(parts) ? parts : [];
  return all.map((part): Fields => fieldsOf(part) ?? {}).filter((part) => part.type === type);
}
