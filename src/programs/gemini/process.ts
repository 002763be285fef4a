import type { ProcessInfo } from "../../ports/processes.ts";
import { baseName, findProgram, type Invocation } from "../program-process.ts";

/** Subcommands without a composer. */
const ERRANDS = new Set(["mcp", "extensions", "extension", "skills", "skill", "hooks", "hook"]);
/** With one of these it answers and ends, or speaks a protocol. */
const WITHOUT_COMPOSER =
  /^(?:-p|--prompt|--acp|--experimental-acp|-v|--version|-h|--help|-l|--list-extensions|--list-sessions|--delete-session)(?:=|$)/u;
const OPTIONS_WITH_VALUE = new Set([
  ...["-m", "--model", "-i", "--prompt-interactive", "-e", "--extensions", "-r", "--resume", "-o"],
  ...["--output-format", "--approval-mode", "--policy", "--include-directories", "--sandbox-image"],
  ...["--allowed-mcp-server-names", "--allowed-tools", "-w", "--worktree"],
]);

/** The interactive Gemini CLI of a terminal. It may start itself once more, as its own child. */
export function findGemini(tree: readonly ProcessInfo[]): ProcessInfo | undefined {
  return findProgram(tree, (invocation) => isGemini(invocation.path) && isInteractive(invocation));
}

function isGemini(path: string): boolean {
  return baseName(path) === "gemini" || /\/gemini-cli\/(?:bundle|dist)\/(?:gemini|index)\.js$/u.test(path);
}

function isInteractive({ args }: Invocation): boolean {
  if (args.some((argument) => WITHOUT_COMPOSER.test(argument))) return false;
  for (let at = 0; at < args.length; at += 1) {
    const argument = args[at] ?? "";
    if (argument === "--") return true;
    if (OPTIONS_WITH_VALUE.has(argument)) at += 1;
    else if (!argument.startsWith("-")) return !ERRANDS.has(argument);
  }
  return true;
}
