/** A Claude Code in bypass mode puts messages from its inbox before the person first, in a dialog. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Processes } from "../../ports/processes.ts";

/** Whether it would hold our message. What cannot be read is taken for the usual: not in bypass mode. */
export async function holdsMessages(
  processes: Pick<Processes, "environment" | "tree">,
  pid: number,
): Promise<boolean> {
  const { CLAUDE_CONFIG_DIR, HOME } = await processes.environment(pid, ["CLAUDE_CONFIG_DIR", "HOME"]);
  const config = CLAUDE_CONFIG_DIR || (HOME === undefined || HOME === "" ? undefined : join(HOME, ".claude"));
  const settings = config === undefined ? {} : await readSettings(join(config, "settings.json"));
  if (settings.crossSessionInbound === "accept") return false;
  const [agent] = await processes.tree(pid);
  return isBypassing(agent?.argv ?? [], settings);
}

function isBypassing(argv: readonly string[], settings: Readonly<Record<string, unknown>>): boolean {
  const at = argv.findLastIndex((argument) => /^--permission-mode(?:=|$)/.test(argument));
  const mode = at === -1 ? undefined : (argv[at]?.split("=")[1] ?? argv[at + 1]);
  if (argv.includes("--dangerously-skip-permissions")) return true;
  if (mode !== undefined) return mode === "bypassPermissions";
  const permissions = settings.permissions;
  return (
    permissions !== null &&
    typeof permissions === "object" &&
    (permissions as Readonly<Record<string, unknown>>).defaultMode === "bypassPermissions"
  );
}

async function readSettings(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    return value !== null && typeof value === "object" ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
