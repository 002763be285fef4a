/** How the person edits in Claude Code: in vim's NORMAL mode, text would be taken for commands. */
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type OwnFolder, readFields } from "../own-folder.ts";

export const CLAUDE_FOLDER = { variable: "CLAUDE_CONFIG_DIR", usual: ".claude" } as const;
/** Size limit for its settings. */
export const LARGEST_FILE = 16 * 1024 * 1024;

const seen = new Map<string, { readonly fingerprint: string; readonly vim: boolean }>();

/** `.claude.json` is next to the default config folder, but inside a custom one. */
export async function editsWithVim({ path, is }: OwnFolder): Promise<boolean> {
  const state = join(is === "usual" ? dirname(path) : path, ".claude.json");
  const files = [state, join(path, "settings.json")];
  return (await Promise.all(files.map(saysVim))).includes(true);
}

async function saysVim(path: string): Promise<boolean> {
  try {
    const { mtimeMs, size } = await stat(path);
    const fingerprint = `${mtimeMs} ${size}`;
    const known = seen.get(path);
    if (known?.fingerprint === fingerprint) return known.vim;
    if (size > LARGEST_FILE) return false;
    const settings = await readFields(path, LARGEST_FILE);
    // The file is being written: keep the last known answer.
    if (settings === undefined) return known?.vim ?? false;
    const vim = settings.editorMode === "vim";
    seen.set(path, { fingerprint, vim });
    return vim;
  } catch {
    // The file no longer exists.
    return seen.get(path)?.vim ?? false;
  }
}
