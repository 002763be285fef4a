/** In bypass mode, Claude Code shows the person a dialog before it accepts a message from its inbox. */
import { join } from "node:path";
import type { Processes } from "../../ports/processes.ts";
import { ownFolder, readFields } from "../own-folder.ts";
import { fieldsOf } from "../transcripts/line.ts";
import { CLAUDE_FOLDER, LARGEST_FILE } from "./editing.ts";

/** Whether it would hold our message. If its mode cannot be read, it is assumed not to be in bypass mode. */
export async function holdsMessages(
  processes: Pick<Processes, "environment" | "tree">,
  pid: number,
): Promise<boolean> {
  const config = await ownFolder(processes, pid, CLAUDE_FOLDER);
  const settings = config && (await readFields(join(config.path, "settings.json"), LARGEST_FILE));
  if (settings?.crossSessionInbound === "accept") return false;
  const [agent] = await processes.tree(pid);
  return isBypassing(agent?.argv ?? [], settings?.permissions);
}

function isBypassing(argv: readonly string[], permissions: unknown): boolean {
  const at = argv.findLastIndex((argument) => /^--permission-mode(?:=|$)/.test(argument));
  const mode = at === -1 ? undefined : (argv[at]?.split("=")[1] ?? argv[at + 1]);
  if (argv.includes("--dangerously-skip-permissions")) return true;
  if (mode !== undefined) return mode === "bypassPermissions";
  return fieldsOf(permissions)?.defaultMode === "bypassPermissions";
}
