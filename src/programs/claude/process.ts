import type { ProcessInfo } from "../../ports/processes.ts";
import { baseName, findProgram, type Invocation } from "../program-process.ts";

/** These subcommands answer and exit, or run a server: they have no composer. */
const ERRANDS = new Set([
  ...["mcp", "config", "doctor", "update", "upgrade", "install", "setup-token", "migrate-installer"],
  ...["plugin", "plugins", "auth", "login", "logout", "remote-control", "daemon", "agents"],
  ...["bg-pty-host", "bg-spare"],
]);

/** The interactive Claude Code of a terminal: the native program, or `cli.js` of an older installation. */
export function findClaude(tree: readonly ProcessInfo[]): ProcessInfo | undefined {
  return findProgram(tree, (invocation) => isClaude(invocation.path) && isInteractive(invocation));
}

function isClaude(path: string): boolean {
  if (["claude", "claude.exe"].includes(baseName(path))) return true;
  // The native installer keeps one file per release, named after it.
  if (/\/claude\/versions\/\d+\.\d+\.\d+[^/]*$/.test(path)) return true;
  return /\/claude-code\/cli\.m?js$/.test(path);
}

function isInteractive({ args }: Invocation): boolean {
  if (ERRANDS.has(args[0] ?? "")) return false;
  const end = args.indexOf("--");
  const options = end < 0 ? args : args.slice(0, end);
  return !options.some((option) => option === "--print" || /^-[chv]*p/.test(option));
}
