import { recipientInWords } from "../../../core/cluster/hosts.ts";
import type { Instant } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { RequestOf } from "../../../wire/verbs/index.ts";
import { limitOption, readLimit } from "../../arguments/given-count.ts";
import { pastTime, timeAfter } from "../../arguments/given-time.ts";
import { type Arguments, type Command, usage } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { dateAndMinute } from "../../printing/moments.ts";
import { PREVIEW_CHARACTERS, printList } from "../../printing/table.ts";
import { printConversation } from "../../printing/turns.ts";
import { sessionOption } from "../agents/turns.ts";

export const history: Command = {
  name: "history",
  summary: "list what was sent and what became of it, newest last",
  usage: [
    "history [WHO] [--limit N] [--from WHEN] [--to WHEN]",
    "history AGENT --conversation [--session SESSION] [--limit N]",
  ],
  options: {
    limit: limitOption("newest"),
    from: {
      kind: "value",
      value: "WHEN",
      summary: 'from this time on: 2h (two hours ago), 09:00, "2026-12-24 09:00"',
    },
    to: { kind: "value", value: "WHEN", summary: "up to this time" },
    conversation: { kind: "flag", summary: "what its automatic turns were asked and answered" },
    session: { ...sessionOption, summary: "with --conversation: one of its sessions, by name or id" },
  },
  words: { least: 0, most: 1 },
  examples: [
    { command: "bellhop history", does: "the newest messages of everyone" },
    { command: "bellhop history coder --limit 5", does: "the last five to one agent" },
    { command: "bellhop history --from 2h", does: "the last two hours" },
    { command: "bellhop history --from 09:00 --to 12:00 --json", does: "for scripts: newest first" },
    { command: "bellhop history night --conversation", does: "its automatic turns" },
  ],
  run: async (context, args) => {
    if (args.flag("conversation")) return conversation(context, args);
    if (args.value("session") !== undefined)
      throw usage("--session needs --conversation.", "Add --conversation, or leave --session out.");
    const { ask, out, now } = context;
    const { entries } = await ask("history", readPeriod(args, now()));
    // Newest last for a person, who reads the end first.
    printList(out, out.json ? entries : entries.toReversed(), "Nothing was sent in that time.", {
      SENT: ({ message }) => dateAndMinute(message.createdAt),
      ID: ({ message }) => `#${message.shortId}`,
      FROM: ({ message }) => message.from,
      TO: ({ delivery }) => recipientInWords(delivery),
      STATE: ({ delivery }) => delivery.state,
      TEXT: ({ message }) => sanitiseLine(message.body, PREVIEW_CHARACTERS),
    });
  },
};

async function conversation({ ask, out }: CommandContext, args: Arguments): Promise<undefined> {
  const [agent] = args.words;
  if (agent === undefined)
    throw usage("No agent was given.", "Name one: bellhop history AGENT --conversation");
  if (args.value("from") !== undefined || args.value("to") !== undefined)
    throw usage("--conversation takes no times.", "Use --limit.");
  const request = present({ session: args.value("session"), limit: readLimit(args) });
  const found = await ask("conversation", { agent, ...request });
  out.result(found, () => printConversation(out, found.entries));
}

function readPeriod(args: Arguments, now: Instant): RequestOf<"history"> {
  const [who] = args.words;
  const from = args.value("from");
  const to = args.value("to");
  const fromTime = from === undefined ? undefined : sinceEver(pastTime(from, "--from", now));
  const toTime = to === undefined ? undefined : sinceEver(readEnd(to, fromTime, now));
  if (fromTime !== undefined && toTime !== undefined && fromTime >= toTime) {
    throw usage(
      `--from (${dateAndMinute(fromTime)}) is not before --to (${dateAndMinute(toTime)}).`,
      "Give the earlier time to --from.",
    );
  }
  return present({ who, limit: readLimit(args), fromTime, toTime });
}

function readEnd(text: string, begin: Instant | undefined, now: Instant): Instant {
  return begin === undefined ? pastTime(text, "--to", now) : timeAfter(begin, text, "--to", now);
}

/** Doors accept no negative times, and no message is older than zero. */
function sinceEver(at: Instant): Instant {
  return Math.max(0, at);
}
