import type { UseCasesOf } from "../../wire/verbs/index.ts";
import type { reminders } from "../../wire/verbs/reminders.ts";
import { whomToSend } from "../sending/whom.ts";
import type { UseCaseParts } from "./parts.ts";

export function reminderVerbs(parts: UseCaseParts): UseCasesOf<typeof reminders> {
  const { directory } = parts;
  return {
    remind: async (request) =>
      parts.reminders.set(
        request,
        request.to === undefined ? undefined : await whomToSend(parts, request.to),
      ),
    reminders: async ({ who }) => ({
      reminders: parts.reminders.list(who === undefined ? undefined : directory.resolveAnywhere(who)),
    }),
    reminder_cancel: ({ id }) => parts.reminders.cancel(id),
  };
}
