import { z } from "zod";
import { assertNever } from "../../core/errors.ts";
import type { Instant } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import { formatExactly, parseDuration } from "../../core/time/duration.ts";
import { parseWhen } from "../../core/time/when.ts";
import { malformed } from "../../wire/lines.ts";
import type { ShownReminder } from "../../wire/shapes/reminders.ts";
import { DURATION_FORMS, durationFrom, isoTime, messageText } from "../fields.ts";
import { defineTool, type ToolSetting } from "../tool.ts";
import { nothingSaid, recipientFrom } from "./send-message.ts";

const TIME_FORMS = '"17:30", "2026-12-24 09:00" or "2026-12-24T09:00Z"';

export const remind = defineTool({
  name: "remind",
  title: "Set a reminder",
  description: `Be told something later, in a new turn of your conversation. Use it instead of sleeping or polling: end your turn, and you are woken. It survives restarts. With "to" another agent is told.
Give one of in, at, every, cron; every may also follow a first in or at.
Returns the reminder's id and when it comes. The user can cancel it: bellhop reminders cancel ID.
Examples: {"in":"10m","text":"See whether CI is green."} · {"every":"1h","text":"Check the queue."} · {"cron":"0 9 * * 1-5","text":"Stand-up.","to":"coder"}`,
  effect: "adds",
  reach: "here",
  input: z.strictObject({
    text: messageText.describe(
      "What you will be told. Write it so that you understand it without this conversation.",
    ),
    in: z.string().optional().describe(`After this time: ${DURATION_FORMS}.`),
    at: z
      .string()
      .optional()
      .describe(`At this time: ${TIME_FORMS}; without a zone, on this machine's clock.`),
    every: z.string().optional().describe(`Again and again, this far apart: ${DURATION_FORMS}.`),
    cron: z
      .string()
      .min(1)
      .optional()
      .describe("Minute, hour, day, month, weekday, on this machine's clock."),
    to: z.string().min(1).optional().describe("For another agent. Default: for you."),
    idempotency_key: z
      .string()
      .min(1)
      .optional()
      .describe("Any word of your own: a second call with the same one sets no second reminder."),
  }),
  output: z.object({
    id: z.string(),
    to: z.string(),
    due_at: z.string(),
    repeats: z.string().optional(),
  }),
  run: async ({ text, in: delay, at, every, cron, to, idempotency_key: key }, setting) => {
    if (text.trim() === "") throw nothingSaid();
    const reminder = await setting.call("remind", {
      text,
      claims: setting.claims,
      ...(delay === undefined ? {} : { afterMs: durationFrom(delay, "in") }),
      ...(at === undefined ? {} : { at: timeFrom(at, setting) }),
      ...(at === undefined || key === undefined ? {} : { atWritten: at.trim() }),
      ...(every === undefined ? {} : { everyMs: durationFrom(every, "every") }),
      ...present({ cron }),
      ...(to === undefined ? {} : { to: recipientFrom(to) }),
      ...present({ idempotencyKey: key }),
    });
    const due = isoTime(reminder.dueAt);
    const repeats = repetition(reminder);
    return {
      value: { id: reminder.id, to: sanitiseLine(reminder.to), due_at: due, ...present({ repeats }) },
      text: `Reminder ${reminder.id} for ${sanitiseLine(reminder.to)} comes at ${due}${repeats === undefined ? "" : `, then ${repeats}`}.`,
    };
  },
});

function repetition({ everyMs, cron }: ShownReminder): string | undefined {
  if (everyMs !== undefined) return `every ${formatExactly(everyMs)}`;
  return cron === undefined ? undefined : `by cron ${sanitiseLine(cron)}`;
}

function timeFrom(text: string, { now, offsetAt }: ToolSetting): Instant {
  const given = sanitiseLine(text, 40);
  if (parseDuration(text) !== undefined)
    throw malformed(`"at" takes a time, and "${given}" is a length of time.`, 'Give it as "in".');
  const when = parseWhen(text, { now: now(), offsetAt, toward: "ahead" });
  switch (when.kind) {
    case "at":
      return when.at;
    case "impossible":
      throw malformed(when.why, `Give a time that exists: ${TIME_FORMS}.`);
    case "unreadable":
      throw malformed(`"${given}" is not a time for "at".`, `Write it as ${TIME_FORMS}.`);
    default:
      return assertNever(when);
  }
}
