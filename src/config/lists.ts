/** Two sections of `config.yaml` that are no plain settings: `transports` and `profiles`. */
import type { Node } from "yaml";
import { TRANSPORTS, type Transport } from "../core/message.ts";
import { present } from "../core/present.ts";
import { nearest } from "../core/text/nearest.ts";
import type { ConfigReader, Entry } from "./reader.ts";
import type { ProfileDefinition, TransportChoice } from "./schema.ts";

export const LIST_LIMITS = {
  profiles: 64,
  programs: 64,
  patternCharacters: 1_000,
  submitDelayMs: 10_000,
} as const;

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** `transports: [native, paste]`, or one such list per program. */
export function readTransports(reader: ConfigReader, { value, line }: Entry): TransportChoice {
  if (reader.isList(value)) {
    const list = readTransportList(reader, value, "transports", line);
    return { ...present({ everywhere: list }), byProgram: {} };
  }
  const byProgram: Record<string, readonly Transport[]> = {};
  for (const entry of reader.entries(value, "transports", line).slice(0, LIST_LIMITS.programs)) {
    const where = `transports.${entry.key}`;
    if (!NAME.test(entry.key)) {
      reader.complain(entry.line, `${where}: this is not the name of a program`);
      continue;
    }
    const list = readTransportList(reader, entry.value, where, entry.line);
    if (list !== undefined) byProgram[entry.key] = list;
  }
  return { byProgram };
}

function readTransportList(
  reader: ConfigReader,
  node: Node | null,
  where: string,
  line: number,
): readonly Transport[] | undefined {
  const list: Transport[] = [];
  for (const item of reader.items(node, where, line, TRANSPORTS.length)) {
    const text = reader.text(item, where, line);
    if (text === undefined) continue;
    const transport = TRANSPORTS.find((known) => known === text);
    if (transport === undefined) {
      const meant = nearest(text, TRANSPORTS) ?? TRANSPORTS.join(", ");
      reader.complain(reader.lineOf(item, line), `${where}: no transport "${text}": did you mean ${meant}?`);
    } else if (!list.includes(transport)) list.push(transport);
  }
  if (list.length === 0) {
    reader.complain(line, `${where}: name at least one of ${TRANSPORTS.join(", ")}`);
    return undefined;
  }
  return list;
}

const PROFILE_KEYS = ["name", "match", "composer", "busy", "dialog", "keys", "submit_delay_ms"] as const;

export function readProfiles(reader: ConfigReader, { value, line }: Entry): readonly ProfileDefinition[] {
  const profiles: ProfileDefinition[] = [];
  for (const item of reader.items(value, "profiles", line, LIST_LIMITS.profiles)) {
    const profile = readProfile(reader, item, reader.lineOf(item, line));
    if (profile === undefined) continue;
    if (profiles.some(({ name }) => name === profile.name)) {
      reader.complain(reader.lineOf(item, line), `profiles: two are called "${profile.name}"`);
    } else profiles.push(profile);
  }
  return profiles;
}

function readProfile(reader: ConfigReader, node: Node | null, line: number): ProfileDefinition | undefined {
  const found = new Map(
    reader.entries(node, "profiles", line, PROFILE_KEYS).map((entry) => [entry.key, entry]),
  );
  const inside = (section: string, key: string, known: readonly string[]) => {
    const entry = found.get(section);
    const where = `profiles.${section}`;
    if (entry === undefined) return undefined;
    return reader.entries(entry.value, where, entry.line, known).find((inner) => inner.key === key);
  };
  const name = required(reader, found.get("name"), "profiles.name", line);
  const command = required(reader, inside("match", "command", ["command"]), "profiles.match.command", line);
  const composer = inside("composer", "prompt", ["prompt"]);
  const prompt = pattern(reader, composer, "profiles.composer.prompt");
  if (composer === undefined) reader.complain(line, "profiles.composer.prompt is missing");
  if (name !== undefined && !NAME.test(name)) {
    reader.complain(line, `profiles.name: "${name}" must match ${NAME.source}`);
    return undefined;
  }
  const busy = pattern(reader, found.get("busy"), "profiles.busy");
  const dialog = pattern(reader, found.get("dialog"), "profiles.dialog");
  const keys = readKeys(reader, found.get("keys"));
  const submitDelayMs = readDelay(reader, found.get("submit_delay_ms"));
  if (name === undefined || command === undefined || prompt === undefined) return undefined;
  return {
    name,
    match: { command },
    composer: { prompt },
    ...present({ busy, dialog }),
    keys,
    submitDelayMs,
  };
}

function readKeys(reader: ConfigReader, entry: Entry | undefined): ProfileDefinition["keys"] {
  const keys: Record<string, string> = {};
  if (entry !== undefined) {
    for (const inner of reader.entries(entry.value, "profiles.keys", entry.line, [
      "submit",
      "interrupt",
      "clear",
    ])) {
      const where = `profiles.keys.${inner.key}`;
      const text = reader.text(inner.value, where, inner.line);
      if (text !== undefined && /^[\x21-\x7e]{1,32}$/.test(text)) keys[inner.key] = text;
      else if (text !== undefined)
        reader.complain(inner.line, `${where}: expected the name of a key, such as Enter or C-u`);
    }
  }
  const { submit = "Enter", interrupt, clear } = keys;
  return {
    submit,
    ...present({ interrupt, clear }),
  };
}

function readDelay(reader: ConfigReader, entry: Entry | undefined): number {
  if (entry === undefined) return 0;
  const most = LIST_LIMITS.submitDelayMs;
  const delay = reader.number(
    entry.value,
    "profiles.submit_delay_ms",
    entry.line,
    "a number of milliseconds",
  );
  if (delay === undefined) return 0;
  if (delay >= 0 && delay <= most) return delay;
  reader.complain(entry.line, `profiles.submit_delay_ms: expected 0 to ${most}`);
  return 0;
}

function required(
  reader: ConfigReader,
  entry: Entry | undefined,
  where: string,
  line: number,
): string | undefined {
  if (entry !== undefined) return reader.text(entry.value, where, entry.line);
  reader.complain(line, `${where} is missing`);
  return undefined;
}

function pattern(reader: ConfigReader, entry: Entry | undefined, where: string): string | undefined {
  if (entry === undefined) return undefined;
  const text = reader.text(entry.value, where, entry.line);
  if (text === undefined) return undefined;
  if (text.length > LIST_LIMITS.patternCharacters) {
    reader.complain(entry.line, `${where}: at most ${LIST_LIMITS.patternCharacters} characters`);
    return undefined;
  }
  try {
    new RegExp(text, "u");
    return text;
  } catch (error) {
    reader.complain(entry.line, `${where}: ${(error as Error).message}`);
    return undefined;
  }
}
