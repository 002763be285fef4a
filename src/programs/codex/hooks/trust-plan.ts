/** Keeps Codex's config.toml in step with its hooks.json: each of our hooks there is trusted here. */
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { type FoundHandler, findHandlers, handlerFor, isOurs } from "../../../hooks/handlers.ts";
import { type HookedProgram, type HookSetting, scriptIn } from "../../../hooks/hooked-program.ts";
import { type FileChange, isLink, jsonIn, readSettings } from "../../../hooks/settings-file.ts";
import { changeTrust, movedPlaces, trustHash, trustName } from "./trust.ts";

/** `hooks` is hooks.json before and after the change. */
export function planTrust(
  codex: HookedProgram,
  setting: HookSetting,
  hooks: FileChange,
  purpose: "install" | "remove",
): { readonly changes: readonly FileChange[]; readonly notes: readonly string[] } {
  const script = scriptIn(setting);
  const isOfOurs = (each: FoundHandler) => isOurs(each, codex, script);
  const before = findHandlers(jsonIn(hooks.before), hooks.path);
  const after = findHandlers(jsonIn(hooks.after), hooks.path);
  const files = hooksFileNames(codex, setting);
  const named = (each: FoundHandler) => files.map((file) => trustName(file, each));
  const hashOf = (event: string) => trustHash(event, handlerFor(codex, event, script));
  const add = after
    .filter(isOfOurs)
    .flatMap((each) => named(each).map((name) => [name, hashOf(each.event)] as const));
  const moves = movedPlaces(before, after, isOfOurs).flatMap(({ from, to }) =>
    files.map((file) => [trustName(file, from), trustName(file, to)] as const),
  );
  const path = join(codex.folder(setting), "config.toml");
  const config = readSettings(path);
  const outcome = changeTrust(config ?? "", {
    add: new Map(purpose === "install" ? add : []),
    drop: new Set(before.filter(isOfOurs).flatMap(named)),
    dropHashes: new Set(codex.events.map(hashOf)),
    move: new Map(moves),
  });
  if (outcome.kind === "by-hand") {
    const note = `${path} has "hooks.state" in a form that Bellhop leaves alone (line ${outcome.line}). Codex will ask you to review the hooks: choose to trust them.`;
    return { changes: [], notes: purpose === "install" ? [note] : [] };
  }
  const emptied = outcome.text === "" && config !== "" && !isLink(path);
  const text = emptied ? undefined : outcome.text;
  return { changes: [{ path, before: config, after: text, mode: 0o600, folder: "stays" }], notes: [] };
}

/** Codex names the file by the folder path it was given, or with links resolved. */
function hooksFileNames(codex: HookedProgram, setting: HookSetting): readonly string[] {
  const folder = codex.folder(setting);
  const names = [join(folder, codex.file)];
  if (existsSync(folder)) names.push(join(realpathSync(folder), codex.file));
  return [...new Set(names)];
}
