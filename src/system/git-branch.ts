import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";

const MOST_PARENTS = 32;

/** The branch checked out in this folder, by git's own files: no process for a line of text. */
export async function gitBranch(folder: string): Promise<string | undefined> {
  let here = folder;
  for (let parent = 0; parent < MOST_PARENTS; parent += 1) {
    const head = (await text(join(here, ".git", "HEAD"))) ?? (await linkedHead(here));
    if (head !== undefined) return /^ref: refs\/heads\/(.+)$/.exec(head.trim())?.[1];
    if (dirname(here) === here) return undefined;
    here = dirname(here);
  }
  return undefined;
}

/** In a worktree `.git` is a file that names the real folder. */
async function linkedHead(folder: string): Promise<string | undefined> {
  const target = /^gitdir: (.+)$/.exec(((await text(join(folder, ".git"))) ?? "").trim())?.[1];
  if (target === undefined) return undefined;
  return text(join(isAbsolute(target) ? target : join(folder, target), "HEAD"));
}

async function text(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return undefined;
  }
}
