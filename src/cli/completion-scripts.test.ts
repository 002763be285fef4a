import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { COMMON_OPTIONS, type Command } from "./command.ts";
import { completionScript, type Shell } from "./completion-scripts.ts";
import { COMMANDS } from "./registry.ts";

const all = (commands: readonly Command[]): readonly Command[] =>
  commands.flatMap((command) => [command, ...all(command.subcommands ?? [])]);

describe("completions", () => {
  it.each<Shell>(["bash", "zsh", "fish"])("for %s know every command and option", (shell) => {
    const script = completionScript(shell, COMMANDS);
    for (const { name, aliases = [], options } of all(COMMANDS)) {
      for (const word of [name, ...aliases]) expect(script).toMatch(new RegExp(`\\b${word}\\b`));
      for (const option of Object.keys({ ...options, ...COMMON_OPTIONS })) {
        expect(script).toContain(shell === "fish" ? `-l ${option}` : `--${option}`);
      }
    }
  });

  const complete = (...words: readonly string[]): readonly string[] => {
    const script = `${completionScript("bash", COMMANDS)}
COMP_WORDS=(bellhop "$@"); COMP_CWORD=$#; _bellhop; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", script, "bash", ...words], { encoding: "utf8", timeout: 10_000 })
      .split("\n")
      .filter(Boolean);
  };

  it("complete commands, subcommands, options and values in a real bash", () => {
    expect(complete("sta")).toEqual(["status"]);
    expect(complete("queue", "ca")).toEqual(["cancel"]);
    expect(complete("queue", "move", "x", "--be")).toEqual(["--before"]);
    expect(complete("send", "coder", "--priority", "idle-")).toEqual(["idle-first"]);
    expect(complete("output", "--an")).toEqual(["--ansi"]);
    expect(complete("send", "coder", "--noti")).toEqual(["--notify-on-delivery", "--notify-after"]);
    expect(complete("wake", "5m", "--e")).toEqual(["--every"]);
    expect(complete("reminders", "ca")).toEqual(["cancel"]);
    expect(complete("hist")).toEqual(["history"]);
    expect(complete("sub", "")).toEqual(["add", "remove", "list", "--json", "--help"]);
    expect(complete("sub", "add", "coder", "slack/**", "--s")).toEqual(["--session"]);
    expect(complete("unmatched", "re")).toEqual(["reroute"]);
    expect(complete("agent", "to")).toEqual(["token"]);
    expect(complete("agent", "add", "x", "--sub")).toEqual(["--subscribe"]);
    expect(complete("broadcast", "x", "--priority", "idle-")).toEqual(["idle-first"]);
    expect(complete("export", "--output", "/dev/nul")).toEqual(["/dev/null"]);
    expect(complete("completions", "z")).toEqual(["zsh"]);
  });
});
