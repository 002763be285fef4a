/** Sections of `config.yaml` that are lists of words: `transports`, `notify` and `rights`. */
import type { Node } from "yaml";
import { AGENT_NAME_PATTERN, isAgentName } from "../core/address.ts";
import type { Transport } from "../core/message.ts";
import { present } from "../core/present.ts";
import { RIGHTS, type Right } from "../core/rights/rights.ts";
import { NOTIFY_WAYS, type NotifyWay } from "../core/text/telling.ts";
import { AGENT_LIMITS } from "./agents.ts";
import type { ConfigReader, Entry } from "./reader.ts";
import type { RightsDefinition, TransportChoice } from "./schema.ts";

const MOST_PROGRAMS = 64;

/** The ways into a terminal; the others are not for the owner to choose. */
const WAYS_IN = ["native", "hook", "paste", "doorbell"] as const satisfies readonly Transport[];

export const PROGRAM_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** `transports: [native, paste]`, or one such list per program. */
export function readTransports(reader: ConfigReader, { value, line }: Entry): TransportChoice {
  if (reader.isList(value)) {
    const everywhere = readTransportList(reader, value, "transports", line);
    return { ...present({ everywhere }), byProgram: {} };
  }
  const byProgram: Record<string, readonly Transport[]> = {};
  for (const entry of reader.entries(value, "transports", line).slice(0, MOST_PROGRAMS)) {
    const where = `transports.${entry.key}`;
    if (PROGRAM_NAME.test(entry.key)) {
      const list = readTransportList(reader, entry.value, where, entry.line);
      if (list !== undefined) byProgram[entry.key] = list;
    } else reader.complain(entry.line, `${where}: this is not the name of a program`);
  }
  return { byProgram };
}

function readTransportList(
  reader: ConfigReader,
  node: Node | null,
  where: string,
  line: number,
): readonly Transport[] | undefined {
  const items = reader.items(node, where, line, WAYS_IN.length);
  const list = new Set(reader.words(items, where, line, WAYS_IN, "transport"));
  if (list.size > 0) return [...list];
  if (items.length === 0) reader.complain(line, `${where}: name at least one of ${WAYS_IN.join(", ")}`);
  return undefined;
}

const NOTIFY_WORDS = [...NOTIFY_WAYS, "off"] as const;

/** `notify: [tmux, desktop]`, or `notify: off` for none. */
export function readNotify(reader: ConfigReader, { value, line }: Entry): readonly NotifyWay[] {
  const items = reader.isList(value) ? reader.items(value, "notify", line, NOTIFY_WORDS.length) : [value];
  const found = new Set(reader.words(items, "notify", line, NOTIFY_WORDS, "way"));
  if (found.has("off") && found.size > 1) reader.complain(line, 'notify: "off" stands alone');
  if (found.size === 0) reader.complain(line, `notify: name at least one of ${NOTIFY_WORDS.join(", ")}`);
  return NOTIFY_WAYS.filter((way) => found.has(way));
}

export function readRights(reader: ConfigReader, { value, line }: Entry): RightsDefinition {
  const found = reader.section(value, "rights", line, ["default", "agents"]);
  const everyone = found.get("default");
  const agents = found.get("agents");
  return {
    default: everyone === undefined ? [] : readRightList(reader, everyone, "rights.default"),
    agents: agents === undefined ? {} : readRightsOfAgents(reader, agents),
  };
}

function readRightsOfAgents(reader: ConfigReader, { value, line }: Entry): RightsDefinition["agents"] {
  const byName = new Map<string, readonly Right[]>();
  const entries = reader.entries(value, "rights.agents", line);
  if (entries.length > AGENT_LIMITS.agents)
    reader.complain(line, `rights.agents: at most ${AGENT_LIMITS.agents} entries`);
  for (const entry of entries.slice(0, AGENT_LIMITS.agents)) {
    const where = `rights.agents.${entry.key}`;
    if (isAgentName(entry.key)) byName.set(entry.key, readRightList(reader, entry, where));
    else reader.complain(entry.line, `${where}: the name must match ${AGENT_NAME_PATTERN.source}`);
  }
  return Object.fromEntries(byName);
}

function readRightList(reader: ConfigReader, { value, line }: Entry, where: string): readonly Right[] {
  const items = reader.items(value, where, line, RIGHTS.length);
  const words = reader.words(items, where, line, RIGHTS, "right");
  return RIGHTS.filter((right) => words.includes(right));
}
