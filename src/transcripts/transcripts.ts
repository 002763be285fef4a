/** The agents' own session files as witnesses. */
import { assertNever } from "../core/errors.ts";
import { findTokens } from "../core/prompt.ts";
import type { TranscriptFinding, Transcripts } from "../ports/transcript.ts";
import { readClaudeLine } from "./claude.ts";
import { readCodexLine } from "./codex.ts";
import { linesBackwards } from "./lines-backwards.ts";
import type { Sighting } from "./sighting.ts";

export const TRANSCRIPT_LIMITS = {
  bytes: 8 * 1024 * 1024,
  /** A line's time is that of its making; it may be written down a little earlier than we noted our attempt. */
  slackMs: 2_000,
} as const;

type ReadLine = (line: Readonly<Record<string, unknown>>) => Sighting | undefined;

const READERS: ReadonlyMap<string, ReadLine> = new Map([
  ["claude", readClaudeLine],
  ["codex", readCodexLine],
]);

export function transcripts(
  limits: { readonly [K in keyof typeof TRANSCRIPT_LIMITS]: number } = TRANSCRIPT_LIMITS,
): Transcripts {
  return {
    async find(program, { transcriptPath }, token, sinceMs) {
      const readLine = READERS.get(program);
      if (readLine === undefined) return unreadable(`Bellhop cannot read session files of "${program}"`);
      if (transcriptPath === undefined) return unreadable("where its session file is, is not known");
      try {
        return await search(transcriptPath, {
          readLine,
          token,
          since: sinceMs - limits.slackMs,
          bytes: limits.bytes,
        });
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        return unreadable(`its session file could not be read: ${code ?? message}`);
      }
    },
  };
}

interface Search {
  readonly readLine: ReadLine;
  readonly token: string;
  readonly since: number;
  readonly bytes: number;
}

/** The newest sign decides: a text that was queued and then read is a turn. */
async function search(path: string, { readLine, token, since, bytes }: Search): Promise<TranscriptFinding> {
  for await (const text of linesBackwards(path, bytes)) {
    const line = parse(text);
    if (line === undefined) {
      if (text.trim() === "") continue;
      return unreadable("its session file has a line that cannot be read");
    }
    const at = typeof line.timestamp === "string" ? Date.parse(line.timestamp) : Number.NaN;
    if (at < since) return { kind: "absent" };
    // A token has no character that JSON would write otherwise.
    const sighting = text.includes(token) ? readLine(line) : undefined;
    if (sighting === undefined || !findTokens(sighting.text).includes(token)) continue;
    switch (sighting.as) {
      case "turn":
      case "queued":
        return { kind: "found", as: sighting.as };
      case "withdrawn":
        return unreadable("somebody took it out of the program's queue");
      default:
        return assertNever(sighting.as);
    }
  }
  return { kind: "absent" };
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object"
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

function unreadable(why: string): TranscriptFinding {
  return { kind: "unreadable", why };
}
