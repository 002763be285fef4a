/**
 * Where an agent is that moved from here: what comes for it late is sent there, by the host that sent it. Written when an
 * agent leaves; void as soon as somebody has its name here. Reads only.
 */
import { agentAddress, splitAddress } from "../../../core/address.ts";
import { type HostName, withHost } from "../../../core/cluster/hosts.ts";
import type { Refusal } from "../../../core/cluster/refusals.ts";
import type { Address, AgentName } from "../../../core/message.ts";
import type { Ground } from "../../presence/ground.ts";

/** By then its new host has told everybody that it is there. */
const ANNOUNCED_WITHIN_MS = 60_000;

/**
 * Undefined: nobody knows. If that host has told who is there and the agent is not, nobody is sent there: two hosts of
 * which one was put back from a backup could send a message back and forth.
 */
export function wentTo({ context, neighbours }: Ground, name: AgentName): HostName | undefined {
  const { read } = context.store;
  const departed = read.agent(name) === undefined ? read.departedAgent(name) : undefined;
  if (departed === undefined || neighbours.current?.isAdmitted(departed.host) !== true) return undefined;
  const { host, leftAt } = departed;
  const isLately = Math.abs(context.clock.now() - leftAt) < ANNOUNCED_WITHIN_MS;
  return isLately || !neighbours.current.lacks({ address: agentAddress(name), host }) ? host : undefined;
}

/** Why a letter to this address is not taken: with where to send it, if it is for an agent that moved. */
export function orMoved<Why extends Refusal>(
  ground: Ground,
  to: Address,
  refusal: Why,
): Why & { readonly moved?: readonly Address[] } {
  if (refusal.why !== "nobody") return refusal;
  const { kind, rest: name } = splitAddress(ground.neighbours.withoutOwnHost(to));
  const host = kind === "agent" ? wentTo(ground, name) : undefined;
  if (host === undefined) return refusal;
  return { ...refusal, words: `its agent moved to ${host}`, moved: [withHost(agentAddress(name), host)] };
}
