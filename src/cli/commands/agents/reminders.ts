import { EXIT } from "../../../core/errors.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { ShownReminder } from "../../../wire/shapes/reminders.ts";
import { messageIdFrom } from "../../arguments/message-id.ts";
import { repetition } from "../../arguments/repetition.ts";
import type { Command } from "../../command.ts";
import { coming } from "../../printing/moments.ts";
import { printTable } from "../../printing/table.ts";

const PREVIEW_CHARACTERS = 80;

const cancel: Command = {
  name: "cancel",
  summary: "cancel a reminder, repeating or not",
  usage: ["reminders cancel ID"],
  options: {},
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
    if (out.json) out.value(reminder);
    else out.line(`cancelled ${reminder.id} for ${sanitiseLine(reminder.to)}: ${preview(reminder)}`);
    return EXIT.ok;
  },
};

export const reminders: Command = {
  name: "reminders",
  summary: "list the reminders that are set; cancel one",
  usage: ["reminders [WHO]", "reminders cancel ID"],
  options: {},
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
    if (out.json) out.value(found);
    else if (found.length === 0) {
      const whose = who === undefined ? "" : ` for ${sanitiseLine(who)}`;
      out.line(`No reminders are set${whose}. Set one with: bellhop remind 5m "look again"`);
    } else {
      printTable<ShownReminder>(
        out,
        [
          { title: "ID", cell: ({ id }) => id },
          { title: "WHEN", cell: ({ dueAt }) => coming(dueAt, now()) },
          { title: "FOR", cell: ({ to }) => to },
          { title: "REPEATS", cell: repeats },
          { title: "TEXT", cell: preview },
        ],
        found,
      );
    }
    return EXIT.ok;
  },
};

/** Until the last one is taken it does not come again. */
function repeats(reminder: ShownReminder): string {
  const { waiting } = reminder;
  return [repetition(reminder), ...(waiting === undefined ? [] : [`#${waiting} still waits`])].join(", ");
}

function preview({ text }: ShownReminder): string {
  return sanitiseLine(text, PREVIEW_CHARACTERS);
}
