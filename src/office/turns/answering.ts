/** What a turn said goes back to those who wrote to it, once each, whatever happens meanwhile. */
import { agentAddress, sessionAddress, splitAddress } from "../../core/address.ts";
import type { Address, Message } from "../../core/message.ts";
import type { Turn } from "../../core/turns/turn.ts";
import type { Item } from "../../ports/store.ts";
import type { Accept } from "../accept/accept.ts";
import { answerPlace } from "../accept/answering.ts";
import type { Ground } from "../presence/ground.ts";
import { saidByBellhop } from "../time/notices.ts";

export interface AnsweringParts extends Ground {
  readonly accept: Accept;
  readonly bridges: { outletFor(path: Address): Address | undefined };
}

/**
 * The last message of each sender. An agent that was answered during the turn, in words of its own, needs no second
 * answer, which could start its next turn; people also get how it ended. That another agent has answered a message to
 * many does not count.
 */
function unanswered({ context }: Ground, items: readonly Item[]): readonly Message[] {
  const last = new Map<Address, Item>();
  for (const item of items) if (item.message.source !== "bellhop") last.set(item.message.from, item);
  const isAnswered = ({ delivery }: Item) =>
    context.store.read.findDelivery(delivery.id)?.state === "replied";
  return [...last.values()]
    .filter((item) => item.message.source !== "agent" || !isAnswered(item))
    .map(({ message }) => message);
}

/** Each is accepted under a key of its own: after a crash none goes out twice. */
export async function answer(parts: AnsweringParts, turn: Turn, items: readonly Item[]): Promise<void> {
  const { context, accept } = parts;
  const body = turn.answer?.trim() ?? "";
  if (body === "") return;
  for (const message of unanswered(parts, items)) {
    const said = context.store.read.answerTo(message.id);
    if (said?.from === agentAddress(turn.agent) && said.body.trim() === body) continue;
    await accept.accept({
      to: whereTo(parts, message),
      sender: { address: agentAddress(turn.agent), sessionId: turn.sessionId, source: "agent" },
      body,
      form: { kind: "text" },
      priority: context.settings().defaultPriority,
      answers: message,
      idempotencyKey: `turn-${turn.id}-${message.id}`,
    });
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
export async function tellFailure(
  parts: AnsweringParts,
  turn: Turn,
  items: readonly Item[],
  why: string,
): Promise<void> {
  const { context, accept } = parts;
  for (const { from, source, shortId, id, hops } of unanswered(parts, items)) {
    if (source === "bridge" || source === "webhook") continue;
    const body = `[bellhop] ${turn.agent} got your message #${shortId}, but its turn failed: ${why}. See it with: bellhop turn show ${turn.id}`;
    await accept.accept({
      ...saidByBellhop(context, from, body),
      idempotencyKey: `turn-${turn.id}-${id}`,
      afterHops: hops,
    });
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
