/** Profiles that come with Bellhop as data, for programs that a taught profile suffices for; none is active by itself. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseDocument } from "yaml";
import { parseConfig } from "../../../config/config.ts";
import type { ProfileDefinition } from "../../../config/schema.ts";
import { BellhopError } from "../../../core/errors.ts";
import type { CommandContext } from "../../context.ts";

export interface ShippedProfile {
  readonly name: string;
  readonly definition: ProfileDefinition;
  /** As it stands in config.yaml. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** The whole file, with what was proven. */
  readonly text: string;
}

export function shippedProfiles({
  daemonEntry,
}: Pick<CommandContext, "daemonEntry">): readonly ShippedProfile[] {
  const folder = join(dirname(dirname(daemonEntry)), "profiles");
  return readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .sort()
    .map((file) => read(join(folder, file)));
}

export function shippedProfile(context: Pick<CommandContext, "daemonEntry">, name: string): ShippedProfile {
  const all = shippedProfiles(context);
  const found = all.find((profile) => profile.name === name);
  if (found !== undefined) return found;
  throw new BellhopError("program.unknown", {
    message: `No profile of that name comes with Bellhop: "${name}".`,
    next: `There are: ${all.map((profile) => profile.name).join(", ")}. To teach another program: docs/new-program.md.`,
  });
}

function read(path: string): ShippedProfile {
  const text = readFileSync(path, "utf8");
  const [definition] = parseConfig(text, path).values.profiles;
  const { profiles } = parseDocument(text).toJS() as {
    profiles: readonly Readonly<Record<string, unknown>>[];
  };
  const [entry] = profiles;
  if (definition === undefined || entry === undefined)
    throw new BellhopError("internal.bug", { message: `${path} holds no profile.`, next: "Report this." });
  return { name: definition.name, definition, entry, text };
}
