/** Moves that this host has begun and whose agents are still here, and what the other hosts say to them. Reads only. */
import { agentAddress } from "../../../core/address.ts";
import { type HostName, splitHost } from "../../../core/cluster/hosts.ts";
import type { RefusalReason } from "../../../core/cluster/refusals.ts";
import type { AgentName, Delivery, DeliveryId, DeliveryState, Message } from "../../../core/message.ts";
import type { Agent } from "../../../core/session.ts";
import type { StoreReader } from "../../../ports/store.ts";

/** Why it was not taken although it came in time. */
export type MoveRefusal = Exclude<RefusalReason, "withdrawn" | "overdue">;

/** `in-vain`: it never came there, and nobody will take it; `overdue` and `withdrawn`: that host says so. */
export type Answer =
  | "taken"
  | "in-vain"
  | "overdue"
  | "withdrawn"
  | { readonly why: MoveRefusal; readonly words: string };

export function answerTo(read: StoreReader, id: DeliveryId): Answer | undefined {
  const state = read.findDelivery(id)?.state;
  const letter = read.sentLetter(id);
  const note = read.receiptsOf(id).at(-1)?.note ?? "";
  const why = letter?.why;
  if (why === "withdrawn" || why === "overdue") return why;
  if (why !== undefined) return { why, words: note };
  const isHeard = letter !== undefined && letter.heeded >= 0;
  // Whatever became of what tells the agent of its move: it moved.
  if (isHeard && letter.isTaken === true) return "taken";
  if (state === undefined) return "in-vain";
  // It ended here, before anything was heard of it.
  if (!isHeard && state === "failed") return { why: "other", words: note };
  if (!isHeard && (state === "cancelled" || state === "expired")) return "in-vain";
  // What was given up may have been taken all the same.
  return undefined;
}

export interface OpenMove {
  readonly name: AgentName;
  readonly host: HostName;
  readonly delivery: Delivery;
  readonly answer: "taken" | undefined;
}

const UNDER_WAY: readonly DeliveryState[] = ["queued", "delivering"];

/** Nobody waits for the answer any more; it still counts. */
export function isGivenUp({ answer, delivery }: OpenMove): boolean {
  return answer === undefined && !UNDER_WAY.includes(delivery.state);
}

export function openMoves(read: StoreReader): readonly OpenMove[] {
  return read.agents().flatMap((agent) => movesOf(read, agent));
}

/** The message of an earlier move to that host, by which it may have the agent. */
export function mayHaveTaken(read: StoreReader, name: AgentName, host: HostName): Message | undefined {
  const agent = read.agent(name);
  const move = agent === undefined ? undefined : movesOf(read, agent).find((one) => one.host === host);
  return move === undefined ? undefined : read.message(move.delivery.messageId);
}

export function movesOf(read: StoreReader, { name, moving = [] }: Agent): readonly OpenMove[] {
  return moving.flatMap((id) => openMove(read, name, id) ?? []);
}

function openMove(read: StoreReader, name: AgentName, id: DeliveryId): OpenMove | undefined {
  const delivery = read.findDelivery(id);
  const to = delivery === undefined ? undefined : splitHost(read.message(delivery.messageId)?.to ?? "");
  // It may have another name since: that host does not have it under this one.
  if (delivery === undefined || to?.address !== agentAddress(name)) return undefined;
  const answer = answerTo(read, id);
  return answer === undefined || answer === "taken" ? { name, host: to.host, delivery, answer } : undefined;
}
