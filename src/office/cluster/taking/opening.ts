/**
 * A letter of another host as something to accept: who speaks, to whom, with which rights, and for how long it may still
 * wait. It reads and decides; intake acts. Whatever the letter says of itself, it is from that host.
 */
import { splitAddress } from "../../../core/address.ts";
import { type AdmittedHost, refusalOf, sourceHere } from "../../../core/cluster/admission.ts";
import { type LetterAge, OLDEST_LETTER_DAYS } from "../../../core/cluster/ages.ts";
import type { HostName } from "../../../core/cluster/hosts.ts";
import { isOfMessage } from "../../../core/cluster/letter-ids.ts";
import { LetterRefused, type Refusal, type RefusalReason } from "../../../core/cluster/refusals.ts";
import { speakerFrom } from "../../../core/cluster/speakers.ts";
import { stampHere } from "../../../core/cluster/stamps.ts";
import { isCode } from "../../../core/desk/reply-text.ts";
import { BellhopError } from "../../../core/errors.ts";
import type { Address, Message } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import { isSaidToAll } from "../../../core/routing/across-hosts.ts";
import { isKeyName } from "../../../core/text/key-names.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { StoreReader } from "../../../ports/store.ts";
import type { Letter } from "../../../wire/cluster/parcels.ts";
import { answerAddress } from "../../accept/answering.ts";
import type { Submission } from "../../accept/submission.ts";
import type { Ground } from "../../presence/ground.ts";

const TOO_OLD = `it was sent more than ${OLDEST_LETTER_DAYS} days ago, by the clocks of both hosts: is one of them wrong?`;
export const UNREADABLE: Refusal = {
  why: "unreadable",
  words: "it cannot be read here: are both of the same version?",
};

const LONGEST_NAME = 80;

/** The same letter is taken in another transaction of this moment. */
export class TakenBefore extends Error {
  override readonly name = "TakenBefore";
}

/** Why it is not taken: by what it says, and by what its host may do. */
export function refusalIn(host: AdmittedHost, letter: Letter, age: LetterAge): Refusal | undefined {
  const { message, delivery, timeoutMs } = letter;
  if (!isOfMessage(delivery, message.id)) return because("unreadable", "its ids are not of one message");
  if (speakerFrom(host.host, message.from) === undefined)
    return because("right", `${host.host} may not speak as ${sanitiseLine(message.from, LONGEST_NAME)}`);
  const { priority, source, form } = message;
  const refusal = refusalOf(host, { priority, source, isRaw: form.kind === "raw" });
  if (refusal !== undefined) return because("right", refusal);
  if (isSaidToAll(message.to))
    return because(
      "right",
      `${host.host} may not write to all at once (${sanitiseLine(message.to, LONGEST_NAME)})`,
    );
  if (form.kind === "raw" && !form.keys.every(isKeyName))
    return because("unreadable", "one of its keys does not exist");
  if (form.kind === "raw" && form.dialog !== undefined && isCode(form.dialog) && message.body !== "")
    return because("unreadable", "an answer to a dialog is keys only");
  if (timeoutMs !== undefined && timeoutMs <= age.ms) return because("overdue", "it came after its time");
  return age.isTooOld ? because("other", TOO_OLD) : undefined;
}

function because(why: RefusalReason, words: string): Refusal {
  return { why, words };
}

/** What accept says of a letter that it refuses, inside another sentence; undefined if the letter is not to blame. */
export function refusalBy(error: unknown): Refusal | undefined {
  if (!(error instanceof BellhopError) || /^(?:store|daemon|internal)\./u.test(error.code)) return undefined;
  const why = error instanceof LetterRefused ? error.why : "other";
  return because(why, sanitiseLine(error.message).replace(/\.$/u, ""));
}

/**
 * It would happen to any letter: the disk is full, or somebody else has the database. What the store refuses without
 * saying more may be about what it was to store.
 */
export function isTroubleHere(error: unknown): boolean {
  return error instanceof BellhopError && /^(?:store\.(?!failed$)|daemon\.)/u.test(error.code);
}

/** `refusalIn` has nothing against it. */
export function submissionOf(host: AdmittedHost, letter: Letter, age: LetterAge, ground: Ground): Submission {
  const { message, timeoutMs, require, atMostOnce, anyWayIn } = letter;
  const { body, form, priority, channel, externalId } = message;
  const answers = answeredBy(host.host, letter, ground.context.store.read);
  return {
    to: answers === undefined ? message.to : whereTo(message.to, answers, ground),
    sender: senderOf(host, letter),
    ...{ body, form, priority },
    // Without one it waits for as long as it takes, whatever is configured here.
    timeoutMs: timeoutMs === undefined ? 0 : timeoutMs - age.ms,
    ...stampHere(host, message),
    ...present({ channel, externalId, require, atMostOnce, anyWayIn, answers }),
  };
}

function senderOf(host: AdmittedHost, { message: { from, source } }: Letter): Submission["sender"] {
  const address = speakerFrom(host.host, from);
  if (address === undefined) throw new Error("a host speaks as somebody else");
  const said = sourceHere(host, source);
  // Only what its Bellhop says is a notice.
  return { address, source: said === "bellhop" && !address.startsWith("bellhop/") ? "script" : said };
}

/** Only what went to that host, or came from there: of no other message it can know. */
function answeredBy(host: HostName, { message }: Letter, read: StoreReader): Message | undefined {
  const answered = message.replyTo === undefined ? undefined : read.message(message.replyTo);
  if (answered === undefined) return undefined;
  const isKnownThere =
    read.takenAs(answered.id)?.host === host ||
    read.deliveriesOf(answered.id).some(({ id }) => read.sentLetter(id)?.host === host);
  return isKnownThere ? answered : undefined;
}

/** As at home: an answer goes to the session that asked, while it lives. */
function whereTo(to: Address, answers: Message, ground: Ground): Address {
  const asked = answerAddress(answers, { ...ground, bridges: { outletFor: () => undefined } });
  return splitAddress(to).kind === "agent" && ground.directory.ownerOf(asked) === to ? asked : to;
}
