/** An agent that moves to another host: what it takes along, as the message that goes before it. Pure. */
import { isAgentName } from "../address.ts";
import { BellhopError } from "../errors.ts";
import type { Address, AgentName, Json, Message } from "../message.ts";
import { parsePattern } from "../routing/pattern.ts";
import { type HostName, withHost } from "./hosts.ts";

/** Who says that an agent moves; only Bellhop itself speaks as this. */
export const MOVES: Address = "bellhop/moves";
export const MOVE_COMMAND = "move";

/** By their text; sessions that somebody made by name have subscriptions of their own. */
export interface Luggage {
  readonly subscriptions: readonly string[];
  readonly sessions: readonly { readonly name: string; readonly subscriptions: readonly string[] }[];
}

/** An agent can have as many, together with its sessions. */
export const MOST_CARRIED = 1_000;

/** Agents of one host that heard one message and moved before they got it: the host that sent it is told of the last ones. */
export const MOST_MOVED = 500;

/** So many agents follow by one letter that was said to a path: what is said of the others is not believed. */
export const MOST_FOLLOWING = 50;

export function carried({ subscriptions, sessions }: Luggage): Json {
  return { subscriptions, sessions };
}

/** Whether another host says by this message that one of its agents moves here. */
export function isMove(
  host: HostName,
  { from, source, command }: Pick<Message, "from" | "source"> & { readonly command?: string | undefined },
): boolean {
  return command === MOVE_COMMAND && source === "bellhop" && from === withHost(MOVES, host);
}

/** Undefined if it is no luggage, or has a pattern or a name that cannot be. */
export function luggageIn(payload: unknown): Luggage | undefined {
  const { subscriptions, sessions } = (payload ?? {}) as Partial<Record<keyof Luggage, unknown>>;
  const own = patternsIn(subscriptions);
  if (own === undefined || !Array.isArray(sessions) || sessions.length > MOST_CARRIED) return undefined;
  const named = sessions.map((one: unknown) => {
    const { name, subscriptions: heard } = (one ?? {}) as {
      readonly name?: unknown;
      readonly subscriptions?: unknown;
    };
    const patterns = patternsIn(heard);
    if (typeof name !== "string" || !isAgentName(name) || patterns === undefined) return undefined;
    return { name, subscriptions: patterns };
  });
  const whole = named.filter((one) => one !== undefined);
  if (whole.length < named.length || count({ subscriptions: own, sessions: whole }) > MOST_CARRIED)
    return undefined;
  return { subscriptions: own, sessions: whole };
}

function patternsIn(list: unknown): readonly string[] | undefined {
  if (!Array.isArray(list) || list.length > MOST_CARRIED) return undefined;
  const patterns = list.map((text: unknown) => (typeof text === "string" ? patternIn(text) : undefined));
  const whole = patterns.filter((one) => one !== undefined);
  return whole.length === patterns.length ? whole : undefined;
}

function patternIn(text: string): string | undefined {
  try {
    return parsePattern(text).text;
  } catch (error) {
    if (error instanceof BellhopError) return undefined;
    throw error;
  }
}

function count({ subscriptions, sessions }: Luggage): number {
  return subscriptions.length + sessions.reduce((sum, one) => sum + one.subscriptions.length, 0);
}

const MOST_NAMED = 5;

/** For the agent itself, on its new host. */
export function movedWords(agent: AgentName, from: HostName, luggage: Luggage): string {
  const all = [...luggage.subscriptions, ...luggage.sessions.flatMap((one) => one.subscriptions)];
  const named = all.slice(0, MOST_NAMED).join(", ");
  const more = all.length > MOST_NAMED ? ` and ${all.length - MOST_NAMED} more` : "";
  const subscriptions = all.length === 0 ? "" : ` Its subscriptions came along: ${named}${more}.`;
  return `${agent} moved here from ${from}.${subscriptions} What waited there for it follows.`;
}
