/** Merges ours into the person's `--settings`, since Claude Code accepts only one. Pure except for reading the file. */
import { resolve } from "node:path";
import { readSettings } from "../../../hooks/settings-file.ts";

export interface SessionSettings {
  readonly hooks: Readonly<Record<string, readonly unknown[]>>;
  /** Only what the person has agreed to. */
  readonly permissions?: { readonly allow: readonly string[] };
}

const OPTION = "--settings";

/** The arguments with our settings merged in. Unreadable settings stay as they are: Claude Code reports the error. */
export function withSettings(
  args: readonly string[],
  ours: SessionSettings,
  folder: string,
): readonly string[] {
  const at = args.findIndex((word) => word === OPTION || word.startsWith(`${OPTION}=`));
  if (at === -1) return [OPTION, JSON.stringify(ours), ...args];
  const together = args[at] === OPTION ? 2 : 1;
  const given = together === 2 ? args[at + 1] : args[at]?.slice(OPTION.length + 1);
  const theirs = given === undefined ? undefined : settingsFrom(given, folder);
  if (theirs === undefined) return args;
  return [...args.slice(0, at), OPTION, JSON.stringify(merged(theirs, ours)), ...args.slice(at + together)];
}

function settingsFrom(given: string, folder: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const text = given.trimStart().startsWith("{") ? given : readSettings(resolve(folder, given));
    const settings: unknown = JSON.parse(text ?? "");
    return isObject(settings) ? settings : undefined;
  } catch {
    return undefined;
  }
}

function merged(theirs: Readonly<Record<string, unknown>>, ours: SessionSettings): Record<string, unknown> {
  const hooks = isObject(theirs.hooks) ? theirs.hooks : {};
  const permissions = isObject(theirs.permissions) ? theirs.permissions : {};
  const together = Object.entries(ours.hooks).map(([event, own]) => [
    event,
    [...listed(hooks[event]), ...own],
  ]);
  const allow = [...listed(permissions.allow), ...(ours.permissions?.allow ?? [])];
  return {
    ...theirs,
    hooks: { ...hooks, ...Object.fromEntries(together) },
    ...(ours.permissions === undefined ? {} : { permissions: { ...permissions, allow } }),
  };
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
