/** The section `profiles` of `config.yaml`: programs that the owner teaches Bellhop. */
import type { Node } from "yaml";
import { present } from "../core/present.ts";
import { PROGRAM_NAME } from "./lists.ts";
import type { ConfigReader, Entry } from "./reader.ts";
import type { ProfileDefinition } from "./schema.ts";

const MOST_PROFILES = 64;
const LONGEST_PATTERN = 1_000;
const LONGEST_SUBMIT_DELAY_MS = 10_000;

const PROFILE_KEYS = ["name", "match", "composer", "busy", "dialog", "keys", "submit_delay_ms"] as const;

export function readProfiles(reader: ConfigReader, { value, line }: Entry): readonly ProfileDefinition[] {
  const profiles: ProfileDefinition[] = [];
  for (const item of reader.items(value, "profiles", line, MOST_PROFILES)) {
    const profile = readProfile(reader, item, reader.lineOf(item, line));
    if (profile === undefined) continue;
    if (profiles.some(({ name }) => name === profile.name)) {
      reader.complain(reader.lineOf(item, line), `profiles: two are called "${profile.name}"`);
    } else profiles.push(profile);
  }
  return profiles;
}

function readProfile(reader: ConfigReader, node: Node | null, line: number): ProfileDefinition | undefined {
  const found = reader.section(node, "profiles", line, PROFILE_KEYS);
  const inside = (section: string, key: string) => {
    const entry = found.get(section);
    return entry && reader.section(entry.value, `profiles.${section}`, entry.line, [key]).get(key);
  };
  const name = required(reader, found.get("name"), "profiles.name", line);
  const command = required(reader, inside("match", "command"), "profiles.match.command", line);
  const composer = inside("composer", "prompt");
  const prompt = pattern(reader, composer, "profiles.composer.prompt");
  if (composer === undefined) reader.complain(line, "profiles.composer.prompt is missing");
  if (name !== undefined && !PROGRAM_NAME.test(name)) {
    reader.complain(line, `profiles.name: "${name}" must match ${PROGRAM_NAME.source}`);
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

const KEYS = ["submit", "interrupt", "clear"] as const;

function readKeys(reader: ConfigReader, entry: Entry | undefined): ProfileDefinition["keys"] {
  const keys: Record<string, string> = {};
  const named = entry === undefined ? [] : reader.entries(entry.value, "profiles.keys", entry.line, KEYS);
  for (const { key, value, line } of named) {
    const where = `profiles.keys.${key}`;
    const text = reader.text(value, where, line);
    if (text !== undefined && /^[\x21-\x7e]{1,32}$/.test(text)) keys[key] = text;
    else if (text !== undefined)
      reader.complain(line, `${where}: expected the name of a key, such as Enter or C-u`);
  }
  const { submit = "Enter", interrupt, clear } = keys;
  return { submit, ...present({ interrupt, clear }) };
}

function readDelay(reader: ConfigReader, entry: Entry | undefined): number {
  if (entry === undefined) return 0;
  const where = "profiles.submit_delay_ms";
  const delay = reader.number(entry.value, where, entry.line, "a number of milliseconds");
  if (delay === undefined || (delay >= 0 && delay <= LONGEST_SUBMIT_DELAY_MS)) return delay ?? 0;
  reader.complain(entry.line, `${where}: expected 0 to ${LONGEST_SUBMIT_DELAY_MS}`);
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
  if (text.length > LONGEST_PATTERN) {
    reader.complain(entry.line, `${where}: at most ${LONGEST_PATTERN} characters`);
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
