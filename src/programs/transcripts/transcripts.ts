/** Finds evidence of deliveries in the agents' own session files. */
import { assertNever } from "../../core/errors.ts";
import type { Instant } from "../../core/message.ts";
import { marksOf } from "../../core/text/prompt.ts";
import type { Carried } from "../../core/text/whole-prompt.ts";
import type { SoughtPrompt, TranscriptFinding, Transcripts } from "../../ports/transcript.ts";
import { parseLine, timeOf } from "./line.ts";
import { linesBackwards } from "./lines-backwards.ts";
import { OpeningSearch } from "./openings.ts";
import type { PromptSign, TranscriptReader } from "./reader.ts";
import { talkIn } from "./talk.ts";

export const TRANSCRIPT_LIMITS = {
  bytes: 8 * 1024 * 1024,
  /** A line's time is when it was created, which may be slightly before we noted our attempt. */
  slackMs: 2_000,
  /** Lines are almost, but not exactly, in chronological order. */
  disorderMs: 60_000,
} as const;

type TranscriptLimits = { readonly [K in keyof typeof TRANSCRIPT_LIMITS]: number };

export function transcripts(
  programs: readonly { readonly name: string; readonly transcript?: TranscriptReader }[],
  limits: TranscriptLimits = TRANSCRIPT_LIMITS,
): Transcripts {
  const readerOf = (program: string) => programs.find(({ name }) => name === program)?.transcript;
  const reading = async <Found>(
    program: string,
    path: string | undefined,
    read: (reader: TranscriptReader, path: string) => Promise<Found>,
  ): Promise<Found | Unreadable> => {
    const reader = readerOf(program);
    if (reader === undefined) return unreadable(`Bellhop cannot read session files of "${program}"`);
    if (path === undefined) return unreadable("it is not known where its session file is");
    try {
      return await read(reader, path);
    } catch (error) {
      return unreadable(`its session file could not be read: ${causeOf(error)}`);
    }
  };
  return {
    conversation: (program, path, most) =>
      reading(program, path, (reader, file) => talkIn(file, reader, most, limits.bytes)),
    find: (program, { transcriptPath }, prompt, sinceMs) =>
      reading(program, transcriptPath, (reader, file) => search(file, { reader, prompt, sinceMs, limits })),
    async ending(program, path, until) {
      const ending = readerOf(program)?.ending;
      if (ending === undefined) return "as-told";
      if (path === undefined) return "unknown";
      return endingIn(path, ending, until, limits).catch(() => "unknown" as const);
    },
    async opened(program, { transcriptPath }, sought, sinceMs) {
      const reader = readerOf(program);
      const search = new OpeningSearch(sought);
      if (reader === undefined || transcriptPath === undefined) return search.opened;
      // If reading failed part way, what was found before still counts.
      await searchOpenings(transcriptPath, search, reader, { sinceMs, limits }).catch(() => {});
      return search.opened;
    },
  };
}

interface Search {
  readonly reader: TranscriptReader;
  readonly prompt: SoughtPrompt;
  readonly sinceMs: number;
  readonly limits: TranscriptLimits;
}

/**
 * The newest sign decides: a text that was queued and then read is a turn. A text with other words around it decides
 * only if there is no exact one: someone may have quoted us since.
 */
async function search(path: string, terms: Search): Promise<TranscriptFinding> {
  let mixed = false;
  const whole = await searchWhole(path, terms, () => {
    mixed = true;
  });
  return mixed && whole.kind !== "found" ? { kind: "mixed" } : whole;
}

async function searchWhole(
  path: string,
  { reader, prompt, sinceMs, limits }: Search,
  onMixed: () => void,
): Promise<TranscriptFinding> {
  const since = sinceMs - limits.slackMs;
  const marks = marksOf(prompt.token);
  for await (const { text, state } of linesOf(reader)(path, limits.bytes)) {
    // A token has no character that JSON would escape.
    const mayTell = marks.every((mark) => text.includes(mark));
    if (text.trim() === "" || (state === "unfinished" && !mayTell)) continue;
    const line = state === "unfinished" ? undefined : parseLine(text);
    if (line === undefined) return unreadable("its session file has a line that cannot be read");
    const at = timeOf(line);
    if (at < since - limits.disorderMs) return { kind: "absent" };
    const sighting = mayTell && !(at < since) ? reader.prompt(line) : undefined;
    const carried = carriedIn(sighting, prompt);
    if (carried === "mixed") onMixed();
    if (sighting === undefined || carried !== "alone") continue;
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

/** The newest entry that tells, of those that were written by then. */
async function endingIn(
  path: string,
  ending: NonNullable<TranscriptReader["ending"]>,
  until: Instant,
  limits: TranscriptLimits,
): Promise<"whole" | "broken" | "unknown"> {
  for await (const { text } of linesBackwards(path, limits.bytes)) {
    const line = parseLine(text);
    if (line === undefined || timeOf(line) > until) continue;
    const how = ending(line);
    if (how !== undefined) return how;
  }
  return "unknown";
}

async function searchOpenings(
  path: string,
  search: OpeningSearch,
  reader: TranscriptReader,
  { sinceMs, limits }: Pick<Search, "sinceMs" | "limits">,
): Promise<void> {
  const since = sinceMs - limits.slackMs;
  for await (const { text } of linesOf(reader)(path, limits.bytes)) {
    const line = parseLine(text);
    if (line === undefined) continue;
    const at = timeOf(line);
    if (at < since - limits.disorderMs) return;
    if (at < since) continue;
    for (const sign of reader.tools(line)) search.see(sign);
    if (search.isOver) return;
  }
}

function linesOf({ lines = linesBackwards }: TranscriptReader): NonNullable<TranscriptReader["lines"]> {
  return lines;
}

function carriedIn(sighting: PromptSign | undefined, prompt: SoughtPrompt): Carried {
  const carried = (sighting?.texts ?? []).map((text) => prompt.carriedBy(text));
  return carried.find((each) => each === "alone") ?? carried.find((each) => each === "mixed") ?? "absent";
}

function causeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

type Unreadable = { readonly kind: "unreadable"; readonly why: string };

function unreadable(why: string): Unreadable {
  return { kind: "unreadable", why };
}
