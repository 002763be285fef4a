import type { ProcessInfo } from "../../ports/processes.ts";
import { baseName, findProgram, type Invocation } from "../program-process.ts";

/** Subcommands without a composer. `resume` and `fork` have one. */
const ERRANDS = new Set([
  ...["exec", "e", "review", "login", "logout", "mcp", "mcp-server", "app-server", "app", "proto", "queue"],
  ...["completion", "sandbox", "debug", "apply", "a", "cloud", "features", "execpolicy", "help", "update"],
  ...["responses-api-proxy", "stdio-to-uds", "exec-server", "plugin", "doctor"],
]);

const OPTIONS_WITH_VALUE = new Set([
  ...["-m", "--model", "-c", "--config", "-p", "--profile", "-s", "--sandbox", "-a", "--ask-for-approval"],
  ...["-C", "--cd", "-i", "--image", "--add-dir", "--enable", "--disable", "--local-provider", "--remote"],
]);

/** The interactive Codex of a terminal: the Node wrapper of the npm package, or the native program itself. */
export function findCodex(tree: readonly ProcessInfo[]): ProcessInfo | undefined {
  return findProgram(tree, (invocation) => isCodex(invocation.path) && isInteractive(invocation));
}

function isCodex(path: string): boolean {
  const name = baseName(path);
  if (["codex", "codex.exe"].includes(name)) return true;
  // Release files are named by platform: codex-x86_64-unknown-linux-musl, codex-aarch64-apple-darwin.
  if (/^codex-(?:x86_64|aarch64|arm64)-[\w-]+$/.test(name)) return true;
  return /\/codex\/bin\/codex\.js$/.test(path);
}

function isInteractive({ args }: Invocation): boolean {
  for (let at = 0; at < args.length; at += 1) {
    const argument = args[at] ?? "";
    if (argument === "--") return true;
    if (OPTIONS_WITH_VALUE.has(argument)) at += 1;
    else if (!argument.startsWith("-")) return !ERRANDS.has(argument);
  }
  return true;
}
