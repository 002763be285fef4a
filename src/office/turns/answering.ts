/** What a turn said goes back to those who wrote to it, once each, whatever happens meanwhile. */
import { agentAddress, sessionAddress, splitAddress } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Address, Message } from "../../core/message.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { Turn } from "../../core/turns/turn.ts";
import type { Item } from "../../ports/store.ts";
import type { Accept } from "../accept/accept.ts";
import { answerPlace } from "../accept/answering.ts";
import type { Ground } from "../presence/ground.ts";
import { saidByBellhop } from "../time/notices.ts";

const LONGEST_REASON = 300;

export interface AnsweringParts extends Ground {
  readonly accept: Accept;
  readonly bridges: { outletFor(path: Address): Address | undefined };
  /** Someone waits for the answer to this message. */
  isQuestion(message: Message): boolean;
}

/**
 * The last message of each sender. An agent that was answered during the turn, in words of its own, needs no second
 * answer, which could start its next turn; people also get how it ended. That another agent has answered a message to
 * many does not count.
 */
function unanswered(parts: AnsweringParts, items: readonly Item[]): readonly Message[] {
  const { context, isQuestion } = parts;
  const last = new Map<string, Item>();
  for (const item of items) {
    const { message } = item;
    if (message.source === "bellhop") continue;
    // Whoever waits for an answer gets one; else one answers all that came from the same place.
    const key = isQuestion(message) ? message.id : `${whereTo(parts, message)} ${message.fromSession ?? ""}`;
    last.set(key, item);
  }
  const isAnswered = ({ delivery }: Item) =>
    context.store.read.findDelivery(delivery.id)?.state === "replied";
  return [...last.values()]
    .filter((item) => item.message.source !== "agent" || !isAnswered(item))
    .map(({ message }) => message);
}

/**
 * Each is accepted under a key of its own: after a crash none goes out twice. Returns why somebody does not get it: that
 * must not keep the others from theirs.
 */
export async function answer(
  parts: AnsweringParts,
  turn: Turn,
  items: readonly Item[],
): Promise<readonly string[]> {
  const { context, accept } = parts;
  const body = turn.answer?.trim() ?? "";
  if (body === "") return [];
  const refused: string[] = [];
  for (const message of unanswered(parts, items)) {
    const said = context.store.read.answerTo(message.id);
    if (said?.from === agentAddress(turn.agent) && said.body.trim() === body) continue;
    const sent = accept.accept({
      to: whereTo(parts, message),
      sender: { address: agentAddress(turn.agent), sessionId: turn.sessionId, source: "agent" },
      body,
      form: { kind: "text" },
      priority: context.settings().defaultPriority,
      answers: message,
      idempotencyKey: `turn-${turn.id}-${message.id}`,
    });
    const why = await refusal(sent);
    if (why !== undefined) refused.push(`${message.from}: ${why}`);
  }
  return refused;
}

/** A disk that is full passes: then all of it is tried again. */
async function refusal(sent: Promise<unknown>): Promise<string | undefined> {
  try {
    await sent;
    return undefined;
  } catch (error) {
    if (error instanceof BellhopError && !error.code.startsWith("store.")) return error.message;
    throw error;
  }
}

/** To the place outside where it was said, else to who wrote it. */
function whereTo(parts: AnsweringParts, message: Message): Address {
  const place = answerPlace(message, parts);
  if (place !== undefined) return place;
  const { kind } = splitAddress(message.from);
  const session = message.fromSession;
  return kind === "agent" && session !== undefined && parts.directory.get(session) !== undefined
    ? sessionAddress(session)
    : message.from;
}

/** Those inside learn that no answer will come. An agent may try again in its turn about it, but not for ever. */
export async function tellFailure(parts: AnsweringParts, turn: Turn, items: readonly Item[]): Promise<void> {
  const { context, accept } = parts;
  const why = sanitiseLine(turn.error ?? "", LONGEST_REASON);
  // Of an interrupted one, most go again.
  const failed = items.filter(
    ({ delivery }) => context.store.read.findDelivery(delivery.id)?.state === "failed",
  );
  for (const { from, source, shortId, id, hops } of unanswered(parts, failed)) {
    if (source === "bridge" || source === "webhook") continue;
    const body = `[bellhop] ${turn.agent} got your message #${shortId}, but its turn failed: "${why}". See it with: bellhop turn show ${turn.id}`;
    const sent = accept.accept({
      ...saidByBellhop(context, from, body),
      idempotencyKey: `turn-${turn.id}-${id}`,
      afterHops: hops,
    });
    await refusal(sent);
  }
}

/** The owner learns what waits for them. */
export async function tellOwner(parts: AnsweringParts, key: string, text: string): Promise<void> {
  const { context, accept } = parts;
  await accept.accept({
    ...saidByBellhop(context, context.owner, `[bellhop] ${text}`),
    idempotencyKey: key,
  });
}
