/** The section `agents` of `config.yaml`: who has a mailbox and subscriptions, whether its program runs or not. */
import type { Node } from "yaml";
import { AGENT_NAME_PATTERN, isAgentName } from "../core/address.ts";
import { BellhopError } from "../core/errors.ts";
import { parsePattern } from "../core/routing/pattern.ts";
import type { ConfigReader, Entry } from "./reader.ts";
import type { AgentDefinition } from "./schema.ts";

export const AGENT_LIMITS = { agents: 1_000, sessions: 1_000, subscriptions: 1_000 } as const;

/** What an agent and a session have in common. */
interface Subscriber {
  readonly name: string;
  readonly subscriptions: readonly string[];
  readonly line: number;
  readonly found: ReadonlyMap<string, Entry>;
}

export function readAgents(reader: ConfigReader, { value, line }: Entry): readonly AgentDefinition[] {
  const agents: AgentDefinition[] = [];
  for (const item of reader.items(value, "agents", line, AGENT_LIMITS.agents)) {
    const subscriber = readSubscriber(reader, item, "agents", line, ["name", "subscriptions", "sessions"]);
    if (subscriber === undefined) continue;
    const { name, subscriptions } = subscriber;
    const sessions = readSessions(reader, subscriber.found.get("sessions"));
    if (isTaken(reader, agents, subscriber, "agents")) continue;
    agents.push({ name, subscriptions, sessions });
  }
  return agents;
}

function readSessions(reader: ConfigReader, entry: Entry | undefined): AgentDefinition["sessions"] {
  if (entry === undefined) return [];
  const where = "agents.sessions";
  const sessions: { name: string; subscriptions: readonly string[] }[] = [];
  for (const item of reader.items(entry.value, where, entry.line, AGENT_LIMITS.sessions)) {
    const subscriber = readSubscriber(reader, item, where, entry.line, ["name", "subscriptions"]);
    if (subscriber === undefined || isTaken(reader, sessions, subscriber, where)) continue;
    sessions.push({ name: subscriber.name, subscriptions: subscriber.subscriptions });
  }
  return sessions;
}

function readSubscriber(
  reader: ConfigReader,
  node: Node | null,
  where: string,
  otherwise: number,
  known: readonly string[],
): Subscriber | undefined {
  const line = reader.lineOf(node, otherwise);
  const found = reader.section(node, where, line, known);
  const named = found.get("name");
  if (named === undefined) {
    reader.complain(line, `${where}.name is missing`);
    return undefined;
  }
  const name = reader.text(named.value, `${where}.name`, named.line);
  const subscriptions = readPatterns(reader, found.get("subscriptions"), `${where}.subscriptions`);
  if (name === undefined) return undefined;
  if (!isAgentName(name)) {
    reader.complain(named.line, `${where}.name: "${name}" must match ${AGENT_NAME_PATTERN.source}`);
    return undefined;
  }
  return { name, subscriptions, line: named.line, found };
}

function readPatterns(reader: ConfigReader, entry: Entry | undefined, where: string): readonly string[] {
  if (entry === undefined) return [];
  const patterns: string[] = [];
  for (const item of reader.items(entry.value, where, entry.line, AGENT_LIMITS.subscriptions)) {
    const line = reader.lineOf(item, entry.line);
    const text = reader.text(item, where, line);
    if (text === undefined) continue;
    try {
      patterns.push(parsePattern(text).text);
    } catch (error) {
      if (!(error instanceof BellhopError)) throw error;
      reader.complain(line, `${where}: ${error.message}`);
    }
  }
  return [...new Set(patterns)];
}

function isTaken(
  reader: ConfigReader,
  others: readonly { readonly name: string }[],
  { name, line }: Subscriber,
  where: string,
): boolean {
  if (!others.some((other) => other.name === name)) return false;
  reader.complain(line, `${where}: two are called "${name}"`);
  return true;
}
