import { lstat, readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";

const MOST_PARENTS = 32;

/** The branch checked out in this folder, read from git's files: cheaper than running git for a line of text. */
export async function gitBranch(folder: string): Promise<string | undefined> {
  let here = folder;
  for (let parent = 0; parent < MOST_PARENTS; parent += 1) {
    const head = await headOf(join(here, ".git"));
    if (head !== undefined) return /^ref: refs\/heads\/(.+)$/.exec(head.trim())?.[1];
    if (dirname(here) === here) return undefined;
    here = dirname(here);
  }
  return undefined;
}

async function headOf(git: string): Promise<string | undefined> {
  // Where there is none, which is nearly everywhere on the way up, one question is enough.
  const found = await lstat(git).catch(() => undefined);
  if (found === undefined) return undefined;
  const head = await text(join(git, "HEAD"));
  if (head !== undefined) return head;
  // In a worktree it is a file that names the real folder.
  const target = /^gitdir: (.+)$/.exec(((await text(git)) ?? "").trim())?.[1];
  if (target === undefined) return undefined;
  return text(join(isAbsolute(target) ? target : join(dirname(git), target), "HEAD"));
}

async function text(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return undefined;
  }
}
