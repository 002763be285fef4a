import { BellhopError } from "../../../core/errors.ts";
import { present } from "../../../core/present.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import { formatExactly, parseDuration } from "../../../core/time/duration.ts";
import type { ShownReminder } from "../../../wire/shapes/reminders.ts";
import type { RemindRequest } from "../../../wire/verbs/reminders.ts";
import { readBody } from "../../arguments/body.ts";
import { asGiven, durationFrom } from "../../arguments/given-duration.ts";
import { comingTime, nextTime } from "../../arguments/given-time.ts";
import { messageIdFrom } from "../../arguments/message-id.ts";
import { type Arguments, type Command, usage } from "../../command.ts";
import { coming } from "../../printing/moments.ts";
import { PREVIEW_CHARACTERS, printList } from "../../printing/table.ts";

export const remind: Command = {
  name: "remind",
  aliases: ["wake"],
  summary: "set a reminder, for yourself or for an agent",
  usage: [
    'remind D "TEXT" [options]',
    'remind --at WHEN "TEXT" [options]',
    'remind --every D "TEXT" [options]',
    'remind --cron "LINE" "TEXT" [options]',
  ],
  options: {
    at: { kind: "value", value: "WHEN", summary: 'at this time: 17:30, "2026-12-24 09:00", ISO 8601' },
    every: { kind: "value", value: "D", summary: "repeat at this interval (30m, 1d)" },
    cron: {
      kind: "value",
      value: "LINE",
      summary: "repeat by a cron line: minute, hour, day, month, weekday, in local time",
    },
    to: { kind: "value", value: "WHO", summary: "remind somebody else" },
    from: { kind: "value", value: "X", summary: "set it under another name" },
    "idempotency-key": {
      kind: "value",
      value: "K",
      summary: "the same key and content again makes no second reminder",
    },
  },
  words: { least: 1, most: 2 },
  examples: [
    { command: 'bellhop remind 5m "check on the engineer"', does: "in five minutes, for yourself" },
    { command: 'bellhop wake 10m "review the draft"', does: "the same command" },
    { command: 'bellhop remind --at 17:30 "stop for today" --to coder', does: "for an agent" },
    { command: 'bellhop remind --every 30m "run the tests"', does: "every half hour, until cancelled" },
    { command: 'bellhop remind 1m "look" --every 1h', does: "first in a minute, then every hour" },
    { command: 'bellhop remind --cron "0 9 * * 1-5" "stand-up" --to coder', does: "on weekdays at nine" },
    { command: "bellhop remind 1h - --to coder", does: "take the text from stdin" },
  ],
  run: async (context, args) => {
    const { out, now } = context;
    const { textAt, ...moment } = readMoment(args, now());
    const to = args.value("to");
    const from = args.value("from");
    const idempotencyKey = args.value("idempotency-key");
    const reminder = await context.ask("remind", {
      text: await readBody(context, args, textAt),
      claims: context.claims(),
      ...moment,
      ...present({ to, from, idempotencyKey }),
    });
    const repeats = repetition(reminder);
    const then = repeats === "" ? "" : `, then ${repeats}`;
    const due = coming(reminder.dueAt, now());
    out.result(reminder, `Reminder ${reminder.id} for ${sanitiseLine(reminder.to)}, ${due}${then}`);
  },
};

const cancel: Command = {
  name: "cancel",
  summary: "cancel a reminder, repeating or not",
  usage: ["reminders cancel ID"],
  words: { least: 1, most: 1 },
  examples: [
    { command: "bellhop reminders cancel k3x9a2", does: "by its id" },
    {
      command: "bellhop reminders cancel k3x",
      does: "by the first characters of its id, if no other id begins with them",
    },
  ],
  run: async ({ ask, out }, args) => {
    const reminder = await ask("reminder_cancel", { id: messageIdFrom(args.words[0]) });
    out.result(reminder, `cancelled ${reminder.id} for ${sanitiseLine(reminder.to)}: ${preview(reminder)}`);
  },
};

export const reminders: Command = {
  name: "reminders",
  summary: "list the reminders that are set; cancel one",
  usage: ["reminders [WHO]", "reminders cancel ID"],
  words: { least: 0, most: 1 },
  examples: [
    { command: "bellhop reminders", does: "all of them, the next one first" },
    { command: "bellhop reminders coder", does: "those for one agent" },
    { command: "bellhop reminders cancel k3x9a2", does: "cancel this one" },
  ],
  subcommands: [cancel],
  run: async ({ ask, out, now }, args) => {
    const [who] = args.words;
    const { reminders: found } = await ask("reminders", who === undefined ? {} : { who });
    const whose = who === undefined ? "" : ` for ${sanitiseLine(who)}`;
    const none = `No reminders are set${whose}. Set one with: bellhop remind 5m "look again"`;
    printList(out, found, none, {
      ID: ({ id }) => id,
      WHEN: ({ dueAt }) => coming(dueAt, now()),
      FOR: ({ to }) => to,
      REPEATS: shownRepetition,
      TEXT: preview,
    });
  },
};

type Moment = Pick<RemindRequest, "afterMs" | "everyMs" | "at" | "atWritten" | "cron">;

/** The time, and the position of TEXT among the words: first, unless a delay comes before it. */
function readMoment(args: Arguments, now: number): Moment & { readonly textAt: 0 | 1 } {
  const [first = "", second] = args.words;
  const at = args.value("at");
  const every = args.value("every");
  const cron = args.value("cron");
  if (at !== undefined && cron !== undefined) throw tooMany("--at", "--cron");
  if (cron !== undefined && every !== undefined) throw tooMany("--cron", "--every");
  const fixed = at !== undefined ? "--at" : cron !== undefined ? "--cron" : undefined;
  const option = fixed ?? (every === undefined ? undefined : "--every");
  const isDelay = parseDuration(first) !== undefined;
  const everyMs = every === undefined ? {} : { everyMs: durationFrom(every, "--every") };
  if (second !== undefined) {
    if (option !== undefined && !isDelay) throw unquoted(args.words, option);
    if (fixed !== undefined) throw tooMany("a delay", fixed);
    return { textAt: 1, afterMs: durationFrom(first), ...everyMs };
  }
  if (isDelay && !args.isLiteral(0)) throw noText(first);
  if (option === undefined) throw noTime();
  return {
    textAt: 0,
    ...everyMs,
    ...(at === undefined ? {} : timeOf(at, args.value("idempotency-key"), now)),
    ...present({ cron }),
  };
}

/** With a key this may repeat an earlier call, whose time has passed by now: only the daemon knows. */
function timeOf(at: string, key: string | undefined, now: number): Pick<Moment, "at" | "atWritten"> {
  if (key === undefined) return { at: comingTime(at, "--at", now) };
  return { at: nextTime(at, "--at", now), atWritten: at.trim() };
}

function tooMany(one: string, other: string): BellhopError {
  return usage(`${upper(one)} and ${other} cannot both be given.`, `Leave out ${one} or ${other}.`);
}

function unquoted(words: readonly string[], option: string): BellhopError {
  const delay = option === "--every" ? " A delay before the text is written as 30s, 5m or 1h30m." : "";
  return usage(
    `With ${option} a reminder takes one text.`,
    `Put quotes around a text of several words: "${asGiven(words.join(" "))}".${delay}`,
  );
}

function noText(delay: string): BellhopError {
  return new BellhopError("message.empty", {
    message: "The reminder has no text.",
    next: `Give a text: bellhop remind ${delay} "look again". A text that looks like a length of time goes after "--".`,
  });
}

function noTime(): BellhopError {
  return usage(
    "No time was given.",
    'Write a delay first, as in bellhop remind 5m "look again", or give --at, --every or --cron.',
  );
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** How it repeats: `every 30m`, `by cron 0 9 * * 1-5`, or an empty text. */
function repetition({ everyMs, cron }: ShownReminder): string {
  if (cron !== undefined) return `by cron ${sanitiseLine(cron)}`;
  return everyMs === undefined ? "" : `every ${formatExactly(everyMs)}`;
}

/** It does not fire again until its last message is taken. */
function shownRepetition(reminder: ShownReminder): string {
  const { waiting } = reminder;
  return [repetition(reminder), ...(waiting === undefined ? [] : [`#${waiting} still waits`])].join(", ");
}

function preview({ text }: ShownReminder): string {
  return sanitiseLine(text, PREVIEW_CHARACTERS);
}
