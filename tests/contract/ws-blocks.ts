/** The blocks of docs/websocket.md, in which → is said and ← is heard. */
import { expect } from "vitest";
import { fencesIn, readPage } from "../cli/pages.ts";

export const WS_BLOCKS = fencesIn(readPage("docs/websocket.md"), "text");

interface Turn {
  readonly said: string;
  readonly heard: readonly unknown[];
}

/** One turn per →, with all that follows it. */
export function turnsOf(block: string): readonly Turn[] {
  const turns: { said: string; heard: unknown[] }[] = [];
  for (const line of block.trim().split("\n")) {
    if (line.startsWith("→ ")) turns.push({ said: line.slice(2), heard: [] });
    else turns.at(-1)?.heard.push(JSON.parse(line.slice(2).replaceAll(/([[{]) … ([\]}])/g, '"…"')));
  }
  return turns;
}

/** "…" stands for anything. */
export function expected(shown: unknown): unknown {
  if (shown === "…") return expect.anything();
  if (Array.isArray(shown)) return shown.map(expected);
  if (shown === null || typeof shown !== "object") return shown;
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, expected(value)]));
}
