/** Why an agent of another host may not move here. It reads and decides; `Agents` acts, in the same transaction. */
import { agentAddress } from "../../core/address.ts";
import type { Luggage } from "../../core/cluster/moving.ts";
import { LetterRefused, type Refusal } from "../../core/cluster/refusals.ts";
import type { AgentName } from "../../core/message.ts";
import { isNobodys } from "../../core/routing/private-paths.ts";
import type { StoreReader } from "../../ports/store.ts";
import type { Ground } from "../presence/ground.ts";

export interface NewcomerParts extends Ground {
  /** One of its turns without a terminal runs. */
  isInTurn(agent: AgentName): boolean;
}

/** Throws if there is an agent of its name, or if it hears what an agent here could not choose to hear. */
export function refuseNewcomer(
  parts: NewcomerParts,
  read: StoreReader,
  name: AgentName,
  luggage: Luggage,
): void {
  const refusal = whyNot(parts, read, name, luggage);
  if (refusal === undefined) return;
  throw new LetterRefused(refusal.why, "agent.exists", {
    message: `An agent ${refusal.words}.`,
    next: "Give it another name before it moves, or less to hear.",
  });
}

function whyNot(
  parts: NewcomerParts,
  read: StoreReader,
  name: AgentName,
  luggage: Luggage,
): Refusal | undefined {
  const { directory, context, isInTurn } = parts;
  if (directory.takerOf(name) !== undefined || isInTurn(name))
    return { why: "exists", words: `"${name}" runs here already` };
  const standing = read.agent(name);
  if (standing?.origin === "declared")
    return { why: "declared", words: `"${name}" is declared in config.yaml here` };
  if (standing !== undefined) return { why: "exists", words: `"${name}" is here already` };
  const { channels } = context.settings().desk;
  const all = [...luggage.subscriptions, ...luggage.sessions.flatMap(({ subscriptions }) => subscriptions)];
  const strange = all.find((pattern) => !isNobodys(pattern, [agentAddress(name)], channels));
  if (strange === undefined) return undefined;
  return { why: "subscription", words: `may not subscribe to ${strange} here by itself` };
}
