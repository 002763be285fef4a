/**
 * A person outside answers a permission dialog, by a button or a code. The key is used up in the transaction that
 * accepts the answer; the raw form answers only the dialog that the key was made for. Called by `answers`.
 */
import { dialogKeys } from "../../core/desk/dialog-answers.ts";
import { codeIn } from "../../core/desk/reply-text.ts";
import { DIALOG_WORDS, unseenDialogWords } from "../../core/desk/words.ts";
import type { Instant, Message, MessageId } from "../../core/message.ts";
import { priorityFromOutside } from "../../core/outside/priority.ts";
import type { DialogKey, Origin, Relay } from "../../ports/outside-store.ts";
import type { Accept } from "../accept/accept.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { ANOTHER_QUESTION, AnsweredBefore, dismissKeys, isTooOld, press } from "./dialogs.ts";

type Refusal = keyof typeof DIALOG_WORDS;
/** After these the person has nothing left that answers what it may still ask. */
const SPENT: readonly Refusal[] = ["closed", "changed", "expired"];

/** For whoever gives the person new buttons. */
export interface PressesTold {
  /** An answer is on its way. */
  answering(session: LiveSession, answer: MessageId): void;
  refused(session: LiveSession): void;
}

export interface PressesParts extends Ground {
  readonly accept: Accept;
  readonly told: PressesTold;
  /** Says it where the person is, and records what was decided. */
  say(
    words: string,
    message: Message,
    origin: Origin,
    decided: Pick<Relay, "considered" | "outcome">,
  ): Promise<void>;
}

export class Presses {
  readonly #parts: PressesParts;

  constructor(parts: PressesParts) {
    this.#parts = parts;
  }

  async press(nonce: string, message: Message, origin: Origin): Promise<void> {
    const { context, directory, told } = this.#parts;
    const key = context.store.read.dialogKey(nonce);
    const session = key === undefined ? undefined : directory.get(key.session);
    const refusal = await this.#answer(key, session, message, origin);
    if (refusal === undefined) return;
    const words = refusal === "unseen" ? unseenDialogWords(codeIn(nonce)) : DIALOG_WORDS[refusal];
    await this.#parts.say(words, message, origin, { considered: [], outcome: "refused" });
    if (session !== undefined && SPENT.includes(refusal)) told.refused(session);
  }

  async #answer(
    key: DialogKey | undefined,
    session: LiveSession | undefined,
    message: Message,
    origin: Origin,
  ): Promise<Refusal | undefined> {
    const refusal = refusalOf(key, this.#parts.context.clock.now());
    if (key === undefined || refusal !== undefined) return refusal ?? "unknown";
    if (session === undefined) return "closed";
    const { reading } = await session.observe();
    if (reading.kind === "unknown" && reading.asks === undefined) return "unseen";
    if (session.asks === undefined) return "closed";
    if (reading.kind !== "dialog" || reading.fingerprint !== key.dialog) return "changed";
    if (key.usedAt !== undefined) return "used";
    const keys = dialogKeys(reading, dismissKeys(session));
    if (keys === undefined) return "closed";
    try {
      await this.#accept(key, keys[key.answer], session, message, origin);
      return undefined;
    } catch (error) {
      if (error instanceof AnsweredBefore) return "used";
      throw error;
    }
  }

  async #accept(
    key: DialogKey,
    keys: readonly string[],
    session: LiveSession,
    message: Message,
    origin: Origin,
  ): Promise<void> {
    const { context } = this.#parts;
    const { record } = session;
    const label = record.label === "" ? record.agent : record.label;
    const accepted = await press(this.#parts, {
      session,
      dialog: key.dialog,
      answer: key.answer,
      keys,
      sender: { address: context.owner, source: "bridge" },
      channel: origin.bridge,
      priority: priorityFromOutside(context.settings().defaultPriority),
      from: origin.path,
      with: (tx, answer) => {
        if (tx.dialogKey(key.nonce)?.usedAt !== undefined) throw new AnsweredBefore();
        tx.putRelay({
          messageId: message.id,
          at: context.clock.now(),
          path: origin.path,
          considered: [],
          outcome: "answered-dialog",
          relayed: answer.id,
          label,
          owesConfirmation: true,
        });
      },
    });
    this.#parts.told.answering(session, accepted.message.id);
  }
}

function refusalOf(key: DialogKey | undefined, now: Instant): Refusal | undefined {
  if (key === undefined) return "unknown";
  // Whether that is still there in other words, the screen tells.
  if (key.usedAt !== undefined && key.usedBy !== ANOTHER_QUESTION) return "used";
  return isTooOld(key, now) ? "expired" : undefined;
}
