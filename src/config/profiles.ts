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
  const inside = (section: string, keys: readonly string[]) => {
    const entry = found.get(section);
    return entry === undefined
      ? new Map<string, Entry>()
      : reader.section(entry.value, `profiles.${section}`, entry.line, keys);
  };
  const name = required(reader, found.get("name"), "profiles.name", line);
  const match = readMatch(reader, inside("match", ["command", "name"]), line);
  const composer = readComposer(reader, inside("composer", ["prompt", "above", "placeholder"]), line);
  if (name !== undefined && !PROGRAM_NAME.test(name)) {
    reader.complain(line, `profiles.name: "${name}" must match ${PROGRAM_NAME.source}`);
    return undefined;
  }
  const busy = pattern(reader, found.get("busy"), "profiles.busy");
  const dialog = pattern(reader, found.get("dialog"), "profiles.dialog");
  const keys = readKeys(reader, found.get("keys"));
  const submitDelayMs = readDelay(reader, found.get("submit_delay_ms"));
  if (name === undefined || match === undefined || composer === undefined) return undefined;
  return {
    name,
    match,
    composer,
    ...present({ busy, dialog }),
    keys,
    submitDelayMs,
  };
}

function readMatch(
  reader: ConfigReader,
  found: ReadonlyMap<string, Entry>,
  line: number,
): ProfileDefinition["match"] | undefined {
  const named = found.get("name");
  if (named === undefined) {
    const command = required(reader, found.get("command"), "profiles.match.command", line);
    return command === undefined ? undefined : { command };
  }
  if (found.has("command")) reader.complain(line, "profiles.match: give command or name, not both");
  const name = required(reader, named, "profiles.match.name", line);
  return name === undefined ? undefined : { name };
}

function readComposer(
  reader: ConfigReader,
  found: ReadonlyMap<string, Entry>,
  line: number,
): ProfileDefinition["composer"] | undefined {
  const prompt = pattern(reader, found.get("prompt"), "profiles.composer.prompt");
  const above = pattern(reader, found.get("above"), "profiles.composer.above");
  const shown = found.get("placeholder");
  const placeholder = shown && reader.text(shown.value, "profiles.composer.placeholder", shown.line);
  if (!found.has("prompt") && !found.has("above"))
    reader.complain(line, "profiles.composer.prompt is missing");
  return prompt === undefined && above === undefined ? undefined : present({ prompt, above, placeholder });
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
