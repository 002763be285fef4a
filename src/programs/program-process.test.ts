import { describe, expect, it } from "vitest";
import type { ProcessInfo } from "../ports/processes.ts";
import { findClaude } from "./claude/process.ts";
import { findCodex } from "./codex/process.ts";
import { findTaughtProgram } from "./generic/process.ts";

/** A chain of processes from command lines, each the child of the previous one; pids count from 1. */
function chain(...commandLines: readonly (string | readonly string[])[]): readonly ProcessInfo[] {
  return commandLines.map((line, at) => ({
    pid: at + 1,
    parentPid: at,
    startedAt: String(at),
    argv: typeof line === "string" ? line.split(" ") : line,
    command: "",
  }));
}

describe("recognising Claude Code", () => {
  it.each([
    ["the native program", chain("claude"), 1],
    ["under a shell", chain("-bash", "claude --permission-mode plan"), 2],
    ["with a first prompt", chain("zsh", ["claude", "fix the -p flag"]), 2],
    ["by its path", chain("bash", "/home/dev/.local/bin/claude --resume"), 2],
    ["by its release's file", chain("bash", "/home/dev/.local/share/claude/versions/2.1.325"), 2],
    [
      "as a script of an older install",
      chain("fish", "node --no-warnings /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"),
      2,
    ],
    ["through the npm link", chain("bash", "node /usr/lib/node_modules/.bin/claude"), 2],
    ["under npx", chain("bash", ["npm exec claude"], "sh -c claude", "/home/dev/.npm/claude"), 4],
    [
      "a wrapper before what it starts",
      chain("bash", "node /usr/lib/node_modules/.bin/claude", "/opt/claude-code/bin/claude"),
      2,
    ],
    [
      "under a shell script of its name",
      chain("zsh", "/bin/bash /usr/local/bin/claude", "/opt/claude/bin/claude"),
      3,
    ],
    ["behind sudo", chain("bash", "sudo -u dev claude", "claude"), 3],
  ])("finds %s", (_name, tree, pid) => expect(findClaude(tree)?.pid).toBe(pid));

  it.each([
    ["a headless run", chain("bash", "claude -p hello")],
    ["a headless run, long form", chain("bash", "claude --model opus --print")],
    ["a headless run that continues", chain("bash", "claude -cp hello")],
    ["a server", chain("bash", "claude mcp serve")],
    ["its background daemon", chain("bash", "/opt/claude/bin/claude.exe daemon run --origin transient")],
    ["its view of agents", chain("bash", "claude agents")],
    ["an editor", chain("bash", "vim claude")],
    ["a pager", chain("bash", "less /home/dev/.claude/CLAUDE.md")],
    ["a file that is named like it", chain("bash", "node /home/dev/claude.js")],
    ["a folder that is named like it", chain("bash", "/home/dev/claude/run")],
    ["one that runs inside an editor's terminal", chain("bash", "nvim", "bash", "claude")],
    ["one that another agent started", chain("bash", "codex", "bash -c claude", "claude")],
    ["an empty tree", []],
    ["a process without a command line", chain([])],
  ])("does not take %s for it", (_name, tree) => expect(findClaude(tree)).toBeUndefined());

  it("skips what Claude itself runs", () => {
    expect(findClaude(chain("claude", "/bin/bash -c claude -p x", "claude -p x"))?.pid).toBe(1);
    expect(findClaude(chain("claude", "/bin/bash -c claude", "claude"))?.pid).toBe(1);
  });

  it("prefers the one in the foreground, and keeps one that is suspended", () => {
    const [shell, suspended] = chain("bash", "claude");
    if (shell === undefined || suspended === undefined) return;
    const background = { ...suspended, foreground: false };
    const front = { ...suspended, pid: 9, foreground: true };
    expect(findClaude([shell, background, front])?.pid).toBe(9);
    expect(findClaude([shell, background])?.pid).toBe(2);
  });
});

describe("recognising Codex", () => {
  it.each([
    [
      "the wrapper before the native program",
      chain("bash", "node /usr/lib/node_modules/.bin/codex", "/x/vendor/bin/codex"),
      2,
    ],
    ["the native program alone", chain("bash", "codex -m gpt-5 --sandbox read-only"), 2],
    ["a release's file", chain("bash", "/opt/codex-x86_64-unknown-linux-musl"), 2],
    ["a resumed session", chain("bash", "codex resume --last"), 2],
    ["one with a first prompt", chain("bash", ["codex", "exec is broken"]), 2],
    ["one with an option's value that is named like a subcommand", chain("bash", "codex -p review"), 2],
  ])("finds %s", (_name, tree, pid) => expect(findCodex(tree)?.pid).toBe(pid));

  it.each([
    ["a headless run", chain("bash", "codex exec fix it")],
    ["a headless run behind options", chain("bash", "codex -m gpt-5 --search exec fix it")],
    ["its server", chain("/home/dev/.codex/bin/codex app-server --listen unix://")],
    ["its queue command", chain("bash", "codex queue --thread x --message hi")],
    ["an editor", chain("bash", "vim codex")],
    ["one inside a nested multiplexer", chain("bash", "screen", "bash", "codex")],
  ])("does not take %s for it", (_name, tree) => expect(findCodex(tree)).toBeUndefined());
});

describe("recognising a taught program", () => {
  it.each([
    ["the program", chain("bash", "/opt/my-agent --fast"), 2],
    ["a script", chain("bash", "node demo/my-agent.mjs --log x"), 2],
    ["a shell script", chain("-zsh", "bash ./my-agent.sh"), 2],
    ["behind the shell that starts it", chain("sh -c my-agent --fast", "my-agent --fast"), 2],
    ["by more than one word", chain("bash", "python3 -m my-agent chat"), 2],
  ])("finds %s", (_name, tree, pid) => expect(findTaughtProgram(tree, "my-agent")?.pid).toBe(pid));

  it.each([
    ["an editor", chain("bash", "vim my-agent.py")],
    ["a search", chain("bash", "grep -r my-agent .")],
    ["a shell that has not started it yet", chain("bash -c my-agent")],
    ["another program", chain("bash", "python3")],
  ])("does not take %s for it", (_name, tree) => expect(findTaughtProgram(tree, "my-agent")).toBeUndefined());
});
