/**
 * The one way in which a person answers a permission dialog without being at its terminal: by the raw form, for the
 * dialog that was shown and no other. Whoever answers first uses up what was given out for it elsewhere.
 */
import { sessionAddress } from "../../core/address.ts";
import { type DialogAnswer, type DialogKeys, dialogKeys, isWhole } from "../../core/desk/dialog-answers.ts";
import { nonceOf } from "../../core/desk/reply-text.ts";
import { PERHAPS_DELIVERED } from "../../core/evidence.ts";
import type { Delivery, Instant, Message, MessageId, Priority, SessionId } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { DialogKey } from "../../ports/outside-store.ts";
import type { StoreReader, StoreWriter } from "../../ports/store.ts";
import type { Accept } from "../accept/accept.ts";
import type { Accepted, Submission } from "../accept/submission.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { Observation } from "../presence/observation.ts";

/** A dialog that cannot be answered now, because somebody types there, is not answered much later. */
const PRESS_WITHIN_MS = 60_000;
const DIALOG_ANSWER = "dialog-answer";
/** By then nobody knows any more what was asked. */
const KEY_MS = 12 * 3_600_000;

/** Not answered for certain: the terminal shows something else in its place, perhaps the same in other words. */
export const ANOTHER_QUESTION = "another question";

export interface Press {
  readonly session: LiveSession;
  /** Its fingerprint. */
  readonly dialog: string;
  readonly answer: DialogAnswer;
  readonly keys: readonly string[];
  readonly sender: Submission["sender"];
  readonly channel?: string;
  readonly priority: Priority;
  /** Where it was answered. */
  readonly from: string;
  /** In the same transaction, before anything is used up. */
  with?(tx: StoreWriter, answer: Message): void;
}

/** Rejects with `AnsweredBefore` if another answer to it is on its way. */
export async function press(parts: Ground & { readonly accept: Accept }, pressed: Press): Promise<Accepted> {
  const { session, dialog, answer, keys, sender, channel, priority } = pressed;
  const to = sessionAddress(session.record.id);
  return parts.accept.accept(
    {
      to,
      sender,
      body: "",
      form: { kind: "raw", keys, dialog },
      priority,
      ...present({ channel }),
      command: DIALOG_ANSWER,
      payload: { answer },
      timeoutMs: PRESS_WITHIN_MS,
      // After a crash nobody knows whether it was pressed, and the next dialog may read the same.
      atMostOnce: true,
    },
    {
      answersDialog: true,
      with: (tx, message) => {
        if (answersUnderWay(tx, session.record.id, dialog).some((id) => id !== message.id))
          throw new AnsweredBefore();
        pressed.with?.(tx, message);
        useUp(tx, { session: session.record.id, dialog }, parts.context.clock.now(), pressed.from);
      },
    },
  );
}

/** The command alone says nothing: any sender may choose it, but keys for a dialog need a right. */
export function answersUnderWay(read: StoreReader, session: SessionId, dialog: string): readonly MessageId[] {
  return read
    .deliveries({ mailboxes: [sessionAddress(session)], states: ["queued", "delivering"] })
    .flatMap(({ message: { id, command, form } }) =>
      command === DIALOG_ANSWER && form.kind === "raw" && form.dialog === dialog ? [id] : [],
    );
}

/** Whether an answer has ended, and it is certain that no key was pressed. */
export function isUnpressed(read: StoreReader, { id, state }: Delivery): boolean {
  if (state !== "expired" && state !== "cancelled" && state !== "failed") return false;
  return read.receiptsOf(id).at(-1)?.note !== PERHAPS_DELIVERED;
}

export function isTooOld({ madeAt }: DialogKey, now: Instant): boolean {
  return now - madeAt > KEY_MS;
}

/** What answers this dialog from outside, by its code. */
export function keysFor(
  { code, dialog }: { readonly code: string; readonly dialog: string },
  session: SessionId,
  madeAt: Instant,
): readonly DialogKey[] {
  return (["approve", "deny"] as const).map((answer) => ({
    nonce: nonceOf({ answer, code }),
    answer,
    session,
    dialog,
    madeAt,
  }));
}

/** With all others for the same dialog. */
export function useUp(
  tx: StoreWriter,
  { session, dialog }: Pick<DialogKey, "session" | "dialog">,
  usedAt: Instant,
  usedBy: string,
): void {
  for (const key of tx.openDialogKeys(session))
    if (key.dialog === dialog) tx.putDialogKey({ ...key, usedAt, usedBy });
}

/** The keys that answer what is shown, if all of it can be seen and it is clear which they are. */
export function answerable(session: LiveSession, { reading, screen }: Observation): DialogKeys | undefined {
  if (reading.kind !== "dialog" || screen === undefined) return undefined;
  const rows = screen.lines.map(({ text }) => text);
  return isWhole(reading, rows) ? dialogKeys(reading, dismissKeys(session)) : undefined;
}

export function dismissKeys({ profile }: LiveSession): readonly string[] | undefined {
  const keys = profile.dismiss?.flatMap((stroke) => (stroke.kind === "key" ? [stroke.name] : []));
  return keys?.length === profile.dismiss?.length ? keys : undefined;
}

export class AnsweredBefore extends Error {
  override readonly name = "AnsweredBefore";
}
