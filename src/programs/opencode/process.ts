import type { ProcessInfo } from "../../ports/processes.ts";
import { baseName, findProgram, type Invocation } from "../program-process.ts";

/** Subcommands without a composer. `attach` has one. */
const ERRANDS = new Set([
  ...[
    "run",
    "serve",
    "web",
    "acp",
    "mcp",
    "auth",
    "agent",
    "upgrade",
    "uninstall",
    "models",
    "stats",
    "export",
  ],
  ...["import", "github", "pr", "session", "debug", "db", "completion", "plugin", "console", "generate"],
]);
const WITHOUT_COMPOSER = /^(?:-h|--help|-v|--version)$/u;
const OPTIONS_WITH_VALUE = new Set([
  ...["--port", "--hostname", "--mdns-domain", "--cors", "-m", "--model", "-s", "--session", "--prompt"],
  ...["--agent", "--log-level"],
]);

/** The interactive OpenCode of a terminal: the wrapper of the npm package, or the native program itself. */
export function findOpencode(tree: readonly ProcessInfo[]): ProcessInfo | undefined {
  return findProgram(tree, (invocation) => isOpencode(invocation.path) && isInteractive(invocation));
}

function isOpencode(path: string): boolean {
  return ["opencode", "opencode.exe", ".opencode"].includes(baseName(path));
}

function isInteractive({ args }: Invocation): boolean {
  if (args.some((argument) => WITHOUT_COMPOSER.test(argument))) return false;
  for (let at = 0; at < args.length; at += 1) {
    const argument = args[at] ?? "";
    if (OPTIONS_WITH_VALUE.has(argument)) at += 1;
    else if (!argument.startsWith("-")) return !ERRANDS.has(argument);
  }
  return true;
}
