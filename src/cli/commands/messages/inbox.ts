import type { Instant } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import { sanitiseLine, sanitiseText } from "../../../core/text/sanitise.ts";
import type { HistoryEntry } from "../../../wire/shapes/messages.ts";
import type { RequestOf, ResponseOf } from "../../../wire/verbs/index.ts";
import { limitOption, MOST_ENTRIES, readLimit } from "../../arguments/given-count.ts";
import type { Command } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { age } from "../../printing/moments.ts";
import type { Output } from "../../printing/output.ts";
import { type Columns, PREVIEW_CHARACTERS, printList } from "../../printing/table.ts";

const TAKEN_AT_ONCE = 10;

export const inbox: Command = {
  name: "inbox",
  summary: "see or take the messages that wait for you, or for another",
  usage: ["inbox [WHO] [--take] [--limit N]"],
  options: {
    take: { kind: "flag", summary: "print the full texts, and count them as delivered" },
    limit: limitOption("oldest"),
  },
  words: { least: 0, most: 1 },
  examples: [
    { command: "bellhop inbox", does: "look at your own; changes nothing" },
    { command: "bellhop inbox --take", does: "print all of them and take them out" },
    { command: "bellhop inbox reviewer --take --limit 1 --json", does: "the next one, for a script" },
    { command: "bellhop read m7k2q9", does: "the full text of one of them" },
  ],
  run: async ({ ask, out, claims, now }, args) => {
    const [who] = args.words;
    const take = args.flag("take");
    const limit = readLimit(args);
    const request = { ...present({ who }), claims: claims() };
    const answer = await (take
      ? takeInPieces(ask, request, limit ?? MOST_ENTRIES)
      : ask("inbox", { ...request, ...present({ limit }) }));
    const { entries } = answer;
    if (take && !out.json && entries.length > 0) printWhole(out, entries, now());
    else
      printList(out, entries, `Nothing waits for ${sanitiseLine(answer.who)}.`, columnsFor(entries, now()));
  },
};

/** Few at a time: messages taken in an answer too long to be read would be lost. */
async function takeInPieces(
  ask: CommandContext["ask"],
  request: Pick<RequestOf<"inbox">, "who" | "claims">,
  limit: number,
): Promise<ResponseOf<"inbox">> {
  const take = (most: number) =>
    ask("inbox", { ...request, take: true, limit: Math.min(TAKEN_AT_ONCE, most) });
  const first = await take(limit);
  const entries = [...first.entries];
  for (let last = first; last.entries.length === TAKEN_AT_ONCE && entries.length < limit; ) {
    // What was taken is shown even if this fails; the rest still waits.
    last = await take(limit - entries.length).catch(() => ({ ...first, entries: [] }));
    entries.push(...last.entries);
  }
  return { ...first, entries };
}

function columnsFor(entries: readonly HistoryEntry[], now: Instant): Columns<HistoryEntry> {
  const mailboxes = new Set(entries.map(({ delivery }) => delivery.to));
  return {
    ID: ({ message }) => `#${message.shortId}`,
    FROM: ({ message }) => message.from,
    TO: ({ message }) => message.to,
    // Only this tells a session's copy from its agent's.
    ...(mailboxes.size > 1 ? { MAILBOX: ({ delivery }) => delivery.to } : {}),
    SINCE: ({ delivery }) => age(delivery.queuedAt, now),
    TEXT: ({ message }) => sanitiseLine(message.body, PREVIEW_CHARACTERS),
  };
}

/** Prints whole messages: once taken, they are in no list of waiting ones. */
function printWhole(out: Output, entries: readonly HistoryEntry[], now: Instant): void {
  for (const [index, { message, delivery }] of entries.entries()) {
    if (index > 0) out.line("");
    const title = `#${message.shortId} from ${sanitiseLine(message.from)}, ${age(delivery.queuedAt, now)} ago`;
    out.line(out.paint("bold", title));
    out.line(sanitiseText(message.body));
  }
}
