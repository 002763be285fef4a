/** The section `rights` of `config.yaml`: what agents may do beyond what all of them may. */
import type { Node } from "yaml";
import { AGENT_NAME_PATTERN, isAgentName } from "../core/address.ts";
import { RIGHTS, type Right } from "../core/rights/rights.ts";
import { nearest } from "../core/text/nearest.ts";
import { AGENT_LIMITS } from "./agents.ts";
import type { ConfigReader, Entry } from "./reader.ts";
import type { RightsDefinition } from "./schema.ts";

export const NO_RIGHTS: RightsDefinition = { default: [], agents: {} };

export function readRights(reader: ConfigReader, { value, line }: Entry): RightsDefinition {
  const found = new Map(
    reader.entries(value, "rights", line, ["default", "agents"]).map((entry) => [entry.key, entry]),
  );
  const everyone = found.get("default");
  const agents = found.get("agents");
  return {
    default: everyone === undefined ? [] : readWords(reader, everyone.value, "rights.default", everyone.line),
    agents: agents === undefined ? {} : readAgents(reader, agents),
  };
}

function readAgents(reader: ConfigReader, { value, line }: Entry): RightsDefinition["agents"] {
  const byName = new Map<string, readonly Right[]>();
  const entries = reader.entries(value, "rights.agents", line);
  if (entries.length > AGENT_LIMITS.agents)
    reader.complain(line, `rights.agents: at most ${AGENT_LIMITS.agents} entries`);
  for (const entry of entries.slice(0, AGENT_LIMITS.agents)) {
    const where = `rights.agents.${entry.key}`;
    if (isAgentName(entry.key)) byName.set(entry.key, readWords(reader, entry.value, where, entry.line));
    else reader.complain(entry.line, `${where}: the name must match ${AGENT_NAME_PATTERN.source}`);
  }
  return Object.fromEntries(byName);
}

function readWords(
  reader: ConfigReader,
  node: Node | null,
  where: string,
  otherwise: number,
): readonly Right[] {
  const words: Right[] = [];
  for (const item of reader.items(node, where, otherwise, RIGHTS.length)) {
    const line = reader.lineOf(item, otherwise);
    const text = reader.text(item, where, line);
    if (text === undefined) continue;
    const right = RIGHTS.find((known) => known === text);
    if (right !== undefined) words.push(right);
    else {
      const meant = nearest(text, RIGHTS);
      const advice = meant === undefined ? `known are ${RIGHTS.join(", ")}` : `did you mean "${meant}"?`;
      reader.complain(line, `${where}: no right "${text}": ${advice}`);
    }
  }
  return RIGHTS.filter((right) => words.includes(right));
}
