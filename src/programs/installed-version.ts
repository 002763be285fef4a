/** Which release a running program is, if it says so nowhere itself: that stands beside its file. */
import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Processes } from "../ports/processes.ts";
import { readFields } from "./own-folder.ts";
import { invocationOf } from "./program-process.ts";

const LONGEST_FILE = 64 * 1024;
/** From files such as `bundle/gemini.js` or `dist/src/gemini.js`. */
const MOST_FOLDERS = 4;

/** Undefined if it was installed in another way, or was replaced by another release since it started. */
export async function installedVersion(
  processes: Pick<Processes, "tree">,
  pid: number,
  packageName: string,
): Promise<string | undefined> {
  const [agent] = await processes.tree(pid);
  const path = agent === undefined ? undefined : invocationOf(agent)?.path;
  if (path?.startsWith("/") !== true) return undefined;
  const file = await realpath(path).catch(() => undefined);
  if (file === undefined) return undefined;
  let folder = dirname(file);
  for (let up = 0; up < MOST_FOLDERS; up += 1, folder = dirname(folder)) {
    const described = await readFields(join(folder, "package.json"), LONGEST_FILE);
    if (described?.name !== packageName) continue;
    return typeof described.version === "string" ? described.version : undefined;
  }
  return undefined;
}
