/** How the person edits in Claude Code: in vim's NORMAL mode text would be taken for commands. */
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

const LARGEST_FILE = 16 * 1024 * 1024;

interface Seen {
  readonly fingerprint: string;
  readonly vim: boolean;
}

const seen = new Map<string, Seen>();

/** `.claude.json` lies beside the default config folder, and inside one that was chosen. */
export async function editsWithVim(configFolder: string, isDefault: boolean): Promise<boolean> {
  const state = join(isDefault ? dirname(configFolder) : configFolder, ".claude.json");
  const files = [state, join(configFolder, "settings.json")];
  return (await Promise.all(files.map(saysVim))).includes(true);
}

async function saysVim(path: string): Promise<boolean> {
  try {
    const { mtimeMs, size } = await stat(path);
    const fingerprint = `${mtimeMs} ${size}`;
    const known = seen.get(path);
    if (known?.fingerprint === fingerprint) return known.vim;
    if (size > LARGEST_FILE) return false;
    const vim =
      (JSON.parse(await readFile(path, "utf8")) as { readonly editorMode?: unknown }).editorMode === "vim";
    seen.set(path, { fingerprint, vim });
    return vim;
  } catch {
    // Not there, or being written: the last word counts.
    return seen.get(path)?.vim ?? false;
  }
}
