import type { ProcessInfo } from "../../ports/processes.ts";
import { baseName, findProgram, type Invocation } from "../program-process.ts";

const SHELLS = new Set(["sh", "bash", "dash", "zsh", "fish", "ksh", "tcsh", "csh", "nu"]);
/** Programs whose command line only mentions the taught program: they open, search, watch or start it. */
const MENTIONERS = new Set([
  ...["vi", "vim", "nvim", "emacs", "nano", "hx", "code"],
  ...["less", "more", "cat", "tail", "head", "bat", "man"],
  ...["grep", "rg", "ag", "find", "fd", "git", "diff", "ls", "which", "ps", "pgrep", "top", "htop", "watch"],
  ...["tmux", "screen", "ssh", "sudo", "env", "npm", "npx", "make", "bellhop"],
]);

/** The uppermost process whose command line contains the words, unless it only mentions the program. */
export function findTaughtProgram(tree: readonly ProcessInfo[], words: string): ProcessInfo | undefined {
  return findProgram(tree, (invocation, process) => {
    if (!process.argv.join(" ").includes(words)) return false;
    return isScript(process, words) || !(isShell(process) || MENTIONERS.has(nameOf(invocation)));
  });
}

/** The uppermost process of exactly this name; for programs that rename themselves, a part of a name says too little. */
export function findNamedProgram(tree: readonly ProcessInfo[], name: string): ProcessInfo | undefined {
  return findProgram(tree, (invocation) => nameOf(invocation) === name);
}

function isShell(process: ProcessInfo): boolean {
  return SHELLS.has(baseName((process.argv[0] ?? "").replace(/^-/, "")));
}

/** A shell that runs a file is that program; a shell with `-c` only starts it. */
function isScript(process: ProcessInfo, words: string): boolean {
  const script = process.argv[1];
  return isShell(process) && script !== undefined && !script.startsWith("-") && script.includes(words);
}

function nameOf({ path }: Invocation): string {
  return baseName(path).replace(/\.(?:exe|m?js)$/, "");
}
