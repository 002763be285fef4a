import type { ProcessInfo } from "../ports/processes.ts";

/** A program as its command line shows it, without the interpreter. */
export interface Invocation {
  /** The program's own path, or its bare name. */
  readonly path: string;
  readonly args: readonly string[];
}

const INTERPRETERS = new Set(["node", "nodejs", "bun", "deno"]);
const INTERPRETER_OPTIONS_WITH_VALUE = new Set(["-r", "--require", "--import", "--loader", "--env-file"]);

/**
 * Programs that draw their own screen. What runs under them is not what the terminal shows, and a key meant for it
 * would reach them instead.
 */
const HOSTS = new Set([
  ...["vi", "vim", "nvim", "view", "emacs", "emacsclient", "nano", "hx", "helix", "micro", "code"],
  ...["tmux", "screen", "zellij", "dtach", "abduco", "ssh", "mosh-client", "docker", "podman"],
  ...["claude", "codex", "opencode", "gemini", "aider", "goose", "amp", "crush", "cursor-agent"],
]);

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function invocationOf(process: ProcessInfo): Invocation | undefined {
  const [first, ...rest] = process.argv;
  if (first === undefined || first === "") return undefined;
  // A login shell starts with a dash.
  const path = first.startsWith("-") ? first.slice(1) : first;
  if (!INTERPRETERS.has(baseName(path).replace(/\.exe$/, ""))) return { path, args: rest };
  let at = 0;
  while (rest[at]?.startsWith("-")) at += INTERPRETER_OPTIONS_WITH_VALUE.has(rest[at] ?? "") ? 2 : 1;
  const script = rest[at];
  return script === undefined ? { path, args: rest } : { path: script, args: rest.slice(at + 1) };
}

/**
 * The uppermost process that is the program and is not hidden under another one that draws the screen. A wrapper is
 * preferred over what it starts, so that the answer does not change while the program lives.
 */
export function findProgram(
  tree: readonly ProcessInfo[],
  isProgram: (invocation: Invocation, process: ProcessInfo) => boolean,
): ProcessInfo | undefined {
  const byPid = new Map(tree.map((process) => [process.pid, process]));
  const found = tree.filter((process) => {
    const invocation = invocationOf(process);
    return invocation !== undefined && isProgram(invocation, process) && !isHosted(process, byPid);
  });
  return found.find((process) => process.foreground !== false) ?? found[0];
}

/** The tree without this process's job and its descendants: what else a person runs in the same terminal. */
export function withoutJob(tree: readonly ProcessInfo[], process: ProcessInfo): readonly ProcessInfo[] {
  const gone = new Set<number>();
  for (const each of tree) {
    const ofJob = each.pid === process.pid || (each.group !== undefined && each.group === process.group);
    if (ofJob || gone.has(each.parentPid)) gone.add(each.pid);
  }
  return tree.filter(({ pid }) => !gone.has(pid));
}

/** Whether `process` is a descendant of `other`. */
export function isUnder(process: ProcessInfo, other: ProcessInfo, tree: readonly ProcessInfo[]): boolean {
  return ancestorsOf(process, new Map(tree.map((each) => [each.pid, each]))).includes(other);
}

function isHosted(process: ProcessInfo, byPid: ReadonlyMap<number, ProcessInfo>): boolean {
  return ancestorsOf(process, byPid).some((ancestor) => {
    const invocation = invocationOf(ancestor);
    return invocation !== undefined && HOSTS.has(hostName(invocation.path));
  });
}

function ancestorsOf(process: ProcessInfo, byPid: ReadonlyMap<number, ProcessInfo>): readonly ProcessInfo[] {
  const found: ProcessInfo[] = [];
  let ancestor = byPid.get(process.parentPid);
  while (ancestor !== undefined && ancestor.pid !== process.pid && !found.includes(ancestor)) {
    found.push(ancestor);
    ancestor = byPid.get(ancestor.parentPid);
  }
  return found;
}

function hostName(path: string): string {
  return /\/claude\/versions\/[^/]+$/.test(path) ? "claude" : baseName(path).replace(/\.(?:exe|m?js)$/, "");
}
