import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** A folder with one commit: agents behave differently outside a repository. */
export async function createGitRepository(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "README.md"), "A repository to work in.\n");
  const author = ["-c", "user.name=Rig", "-c", "user.email=rig@localhost"];
  await git(folder, "init", "--quiet");
  await git(folder, "add", ".");
  await git(folder, ...author, "commit", "--quiet", "--no-gpg-sign", "--message", "Start");
}

async function git(folder: string, ...args: string[]): Promise<void> {
  await promisify(execFile)("git", ["-C", folder, ...args], { timeout: 60_000 });
}
