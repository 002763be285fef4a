/** `POST /scheduler/remind`: a session reminds itself. */
import type { z } from "zod";
import type { remindAnswer } from "../../wire/http/answers.ts";
import type { InputOf } from "../../wire/http/operations.ts";
import type { HttpCaller } from "./caller.ts";
import { milliseconds } from "./send.ts";
import { isoTime } from "./send-answer.ts";

export async function remind(
  { body, idempotencyKey }: InputOf<"remind">,
  caller: HttpCaller,
): Promise<z.output<typeof remindAnswer>> {
  const reminder = await caller.ask("remind", {
    text: body.message,
    to: body.session_id,
    // For the owner it is the session that reminds itself, unless they say who else does.
    from: body.set_by ?? (caller.agent === undefined ? body.session_id : undefined),
    afterMs: milliseconds(body.delay_seconds),
    everyMs: milliseconds(body.every_seconds),
    at: body.at === undefined || body.at === null ? undefined : Date.parse(body.at),
    cron: body.cron ?? undefined,
    idempotencyKey,
  });
  return {
    status: "scheduled",
    reminder_id: reminder.id,
    session_id: reminder.sessionId ?? (await sessionMeant(body.session_id, caller)),
    set_by: reminder.setBy,
    fire_at: isoTime(reminder.dueAt),
    message: reminder.text,
  };
}

/** By a name it comes to whatever runs for that agent when it is due; now, that is this. */
async function sessionMeant(who: string, caller: HttpCaller): Promise<string> {
  try {
    const { sessionId, agent } = await caller.recipient(who);
    return sessionId ?? agent;
  } catch {
    return who;
  }
}
