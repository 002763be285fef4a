/** Carries out `bellhop profile list`, `show`, `add` and `check`. Loaded on demand, because it loads every program. */
import { readFileSync } from "node:fs";
import { loadConfig } from "../../../config/config.ts";
import { withAdded } from "../../../config/editing.ts";
import { editedConfig, replaceConfig } from "../../../config/writing.ts";
import { BellhopError } from "../../../core/errors.ts";
import { describeReading } from "../../../core/readiness/described.ts";
import { sanitiseLine, sanitiseText } from "../../../core/text/sanitise.ts";
import { openHome } from "../../../home/home.ts";
import { diffText } from "../../../hooks/diff.ts";
import { PROGRAMS } from "../../../programs/index.ts";
import { ProfileRegistry } from "../../../programs/profile-registry.ts";
import type { Arguments } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { printTable } from "../../printing/table.ts";
import { requireOwner } from "../owner-only.ts";
import { type FoundCapture, readCaptures } from "./capture-files.ts";
import { type ShippedProfile, shippedProfile, shippedProfiles } from "./shipped.ts";

interface Listed {
  readonly name: string;
  /** `built-in`: part of Bellhop. `taught`: in config.yaml. `shipped`: can be added. */
  readonly from: "built-in" | "taught" | "shipped";
  readonly proven: readonly string[];
}

export async function listProfiles(context: CommandContext): Promise<undefined> {
  const taught = taughtIn(context);
  const known = (name: string) => taught.some((profile) => profile.name === name);
  const listed: readonly Listed[] = [
    ...PROGRAMS.map(({ name, proven }) => ({ name, from: "built-in" as const, proven })),
    ...taught.map(({ name }) => ({ name, from: "taught" as const, proven: [] })),
    ...shippedProfiles(context)
      .filter(({ name }) => !known(name))
      .map(({ name }) => ({ name, from: "shipped" as const, proven: [] })),
  ];
  context.out.result(listed, () => {
    printTable(context.out, listed, {
      PROGRAM: ({ name }) => name,
      PROFILE: ({ from }) => from,
      PROVEN: ({ proven }) => proven.join(", "),
    });
    context.out.line('"bellhop profile add NAME" adds one that is shipped to config.yaml.');
  });
}

export async function showProfile(context: CommandContext, { words }: Arguments): Promise<undefined> {
  const { name, entry, text } = shippedAs(context, words[0] ?? "");
  context.out.result({ name, entry }, () => context.out.line(text.trimEnd()));
}

export async function addProfile(context: CommandContext, args: Arguments): Promise<undefined> {
  await requireOwner(context);
  const { name, entry } = shippedAs(context, args.words[0] ?? "");
  if (taughtIn(context).some((profile) => profile.name === name))
    throw new BellhopError("program.unknown", {
      message: `config.yaml has a profile called "${name}" already. Nothing was changed.`,
      next: 'Change it there; "bellhop profile show" prints the one that comes with Bellhop.',
    });
  const isDryRun = args.flag("dry-run");
  const { config } = isDryRun ? context.home() : openHome(context.env, { create: true });
  const before = fileText(config);
  const after = editedConfig(config, {
    edit: (text) => withAdded(text, ["profiles"], [entry]),
    byHand: `Add it yourself: "bellhop profile show ${name}" prints it.`,
  });
  const diff = diffText(config, before, after, { context: 0 });
  if (!isDryRun) replaceConfig(config, after);
  context.out.result({ dryRun: isDryRun, name, config, ...(isDryRun ? { diff } : {}) }, () => {
    if (isDryRun) context.out.line(sanitiseText(diff));
    context.out.line(isDryRun ? "Nothing was changed." : `${name}: added to ${config}. It counts at once.`);
  });
}

function shippedAs(context: CommandContext, name: string): ShippedProfile {
  if (PROGRAMS.some((program) => program.name === name))
    throw new BellhopError("program.unknown", {
      message: `Bellhop knows ${name} by itself: there is no profile to show or to add.`,
      next: "docs/programs.md says what holds for it.",
    });
  return shippedProfile(context, name);
}

interface Checked {
  readonly name: string;
  readonly reading: string;
  readonly recorded?: string;
}

export async function checkCaptures(context: CommandContext, args: Arguments): Promise<number | undefined> {
  const profiles = new ProfileRegistry(PROGRAMS, [
    ...taughtIn(context),
    ...shippedProfiles(context)
      .map(({ definition }) => definition)
      .filter(({ name }) => !taughtIn(context).some((taught) => taught.name === name)),
  ]);
  const by = args.value("profile");
  const checked = readCaptures(args.words[0] ?? "").map((capture) => check(profiles, capture, by));
  const differs = checked.filter(({ reading, recorded }) => recorded !== undefined && recorded !== reading);
  context.out.result(checked, () => {
    printTable(context.out, checked, {
      CAPTURE: ({ name }) => name,
      READS: ({ reading }) => reading,
      RECORDED: ({ reading, recorded }) => (recorded === reading ? "the same" : (recorded ?? "")),
    });
  });
  return differs.length > 0 ? 1 : undefined;
}

function check(
  profiles: ProfileRegistry,
  { name, program, screen, recorded }: FoundCapture,
  by?: string,
): Checked {
  const wanted = by ?? (program || (name.split("/")[0] ?? ""));
  const profile = profiles.byName(wanted);
  if (profile === undefined)
    throw new BellhopError("program.unknown", {
      message: `There is no profile called "${sanitiseLine(wanted)}".`,
      next: 'Name one with --profile; "bellhop profile list" lists them.',
    });
  return {
    name,
    reading: describeReading(profile.read(screen)),
    ...(recorded === undefined ? {} : { recorded }),
  };
}

function taughtIn({ home }: CommandContext) {
  return loadConfig(home().config).values.profiles;
}

function fileText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
