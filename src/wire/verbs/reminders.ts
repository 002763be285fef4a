/** Reminders: set, list, cancel. */
import { z } from "zod";
import { ofMailbox, queue } from "../../core/rights/needs.ts";
import type { ShownReminder } from "../shapes/reminders.ts";
import { claims } from "./claims.ts";
import { address, body, duration, id, instant, isEmpty, line, REQUEST_LIMITS } from "./fields.ts";
import { type Checked, typed, verb } from "./verb.ts";

export const reminders = {
  /** Exactly one of `afterMs`, `everyMs` alone, `at`, `cron`; `everyMs` may follow a first `afterMs` or `at`. */
  remind: verb(
    () =>
      z
        .strictObject({
          text: body,
          /** If absent: the caller's own session, or the person. */
          to: address.exactOptional(),
          afterMs: duration.exactOptional(),
          everyMs: duration.exactOptional(),
          at: instant.exactOptional(),
          /** With a key: how `at` was written. `17:30` is another time tomorrow, but still the same call. */
          atWritten: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
          /** Five fields, in this machine's time zone. */
          cron: line(REQUEST_LIMITS.cronCharacters).exactOptional(),
          from: address.exactOptional(),
          /** The same key with the same content is the same reminder. */
          idempotencyKey: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
          claims,
        })
        .refine(({ text }) => text.trim() !== "", isEmpty("text")),
    typed<ShownReminder>(),
    () => [{ right: "remind" }],
  ),
  reminders: verb(
    () => z.strictObject({ who: address.exactOptional() }),
    typed<{ readonly reminders: readonly ShownReminder[] }>(),
    ofMailbox,
  ),
  reminder_cancel: verb(
    () => z.strictObject({ id }),
    typed<ShownReminder>(),
    ({ id: reminder }) => queue({ kind: "reminder", id: reminder }),
  ),
};

export type RemindRequest = Checked<typeof reminders.remind.request>;
