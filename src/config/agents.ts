/** The section `agents` of `config.yaml`: who has a mailbox and subscriptions, whether its program runs or not. */
import type { Node } from "yaml";
import { AGENT_NAME_PATTERN, isAgentName } from "../core/address.ts";
import { BellhopError } from "../core/errors.ts";
import { present } from "../core/present.ts";
import { parsePattern } from "../core/routing/pattern.ts";
import type { AutoRunWords } from "../core/turns/auto-run.ts";
import { readAutoRun } from "./auto-run.ts";
import type { ConfigReader, Entry } from "./reader.ts";
import type { AgentDefinition, SessionDefinition } from "./schema.ts";

export const AGENT_LIMITS = { agents: 1_000, sessions: 1_000, subscriptions: 1_000 } as const;

const KNOWN = ["name", "subscriptions", "auto_run"] as const;

/** What an agent and a session have in common. */
interface Subscriber {
  readonly name: string;
  readonly subscriptions: readonly string[];
  readonly autoRun: AutoRunWords | undefined;
  readonly line: number;
  readonly found: ReadonlyMap<string, Entry>;
}

export function readAgents(reader: ConfigReader, { value, line }: Entry): readonly AgentDefinition[] {
  const agents: AgentDefinition[] = [];
  for (const item of reader.items(value, "agents", line, AGENT_LIMITS.agents)) {
    const subscriber = readSubscriber(reader, item, "agents", line, [...KNOWN, "sessions"]);
    if (subscriber === undefined) continue;
    const { name, subscriptions, autoRun } = subscriber;
    const sessions = readSessions(reader, subscriber.found.get("sessions"));
    if (isTaken(reader, agents, subscriber, "agents")) continue;
    agents.push({ name, subscriptions, sessions, ...present({ autoRun }) });
  }
  return agents;
}

function readSessions(reader: ConfigReader, entry: Entry | undefined): AgentDefinition["sessions"] {
  if (entry === undefined) return [];
  const where = "agents.sessions";
  const sessions: SessionDefinition[] = [];
  for (const item of reader.items(entry.value, where, entry.line, AGENT_LIMITS.sessions)) {
    const subscriber = readSubscriber(reader, item, where, entry.line, KNOWN);
    if (subscriber === undefined || isTaken(reader, sessions, subscriber, where)) continue;
    const { name, subscriptions, autoRun } = subscriber;
    sessions.push({ name, subscriptions, ...present({ autoRun }) });
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
  const said = found.get("auto_run");
  const autoRun = said === undefined ? undefined : readAutoRun(reader, said, `${where}.auto_run`);
  if (name === undefined) return undefined;
  if (!isAgentName(name)) {
    reader.complain(named.line, `${where}.name: "${name}" must match ${AGENT_NAME_PATTERN.source}`);
    return undefined;
  }
  return { name, subscriptions, autoRun, line: named.line, found };
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
