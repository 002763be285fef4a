import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { findOnPath } from "../../system/executables.ts";
import { COMMON_OPTIONS, type Command } from "../command.ts";
import { COMMANDS } from "../registry.ts";
import { completionScript, type Shell } from "./scripts.ts";

const all = (commands: readonly Command[]): readonly Command[] =>
  commands.flatMap((command) => [command, ...all(command.subcommands ?? [])]);

/** What the daemon would answer. */
const FAKE_BELLHOP = String.raw`bellhop() { case "$3" in
  agent) printf 'coder\tclaude\nreviewer\tnot running\n' ;;
  recipient) printf 'coder\tclaude\nreviewer\tnot running\nbox:writer\tcodex, on box: busy\nbox:ops\t\n' ;;
  waiting) printf 'm7k2q9\tagent/coder: hello there\n' ;;
  message) printf 'a1b2c3\tagent/coder: $(touch /tmp/never)\n' ;;
  reminder) printf 'ymwo13\tstretch\n' ;;
esac; }`;

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
    const script = `${FAKE_BELLHOP}
${completionScript("bash", COMMANDS)}
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
    expect(complete("sub", "")).toEqual(["add", "remove", "list", "try", "--json", "--help"]);
    expect(complete("sub", "add", "coder", "slack/**", "--s")).toEqual(["--session"]);
    expect(complete("unmatched", "re")).toEqual(["reroute"]);
    expect(complete("agent", "to")).toEqual(["token"]);
    expect(complete("agent", "add", "x", "--sub")).toEqual(["--subscribe"]);
    expect(complete("broadcast", "x", "--priority", "idle-")).toEqual(["idle-first"]);
    expect(complete("export", "--output", "/dev/nul")).toEqual(["/dev/null"]);
    expect(complete("completions", "z")).toEqual(["zsh"]);
  });

  /** The words before the last one, and what is offered for it. */
  const OFFERED: readonly (readonly [string, readonly string[]])[] = [
    ["send ", ["box:ops", "box:writer", "coder", "reviewer"]],
    ["send co", ["coder"]],
    ["send --urgent rev", ["reviewer"]],
    ["send --priority idle co", ["coder"]],
    ["ask re", ["reviewer"]],
    ["ask box:w", ["box:writer"]],
    ["send --urgent box:", ["box:ops", "box:writer"]],
    ["remind 5m x --to b", ["box:ops", "box:writer"]],
    ["peek ", ["coder", "reviewer"]],
    ["send box:writer x --re a", ["a1b2c3"]],
    ["transcript co", ["coder"]],
    ["send coder x --re a1", ["a1b2c3"]],
    ["reply a", ["a1b2c3"]],
    ["show ", ["a1b2c3"]],
    ["queue rev", ["reviewer"]],
    ["queue clear co", ["coder"]],
    ["queue cancel m", ["m7k2q9"]],
    ["queue cancel x9y8z7 m", ["m7k2q9"]],
    ["queue move x --before m", ["m7k2q9"]],
    ["reminders cancel y", ["ymwo13"]],
    ["remind 5m x --to co", ["coder"]],
    ["agent show co", ["coder"]],
    ["sub add co", ["coder"]],
  ];
  const DYNAMIC = ["coder", "reviewer", "box:writer", "box:ops", "m7k2q9", "a1b2c3", "ymwo13"];
  const named = (found: readonly string[]) => found.filter((word) => DYNAMIC.includes(word)).toSorted();

  it.each(OFFERED)("offer names and ids in a real bash: %j", (typed, expected) => {
    expect(named(complete(...typed.split(" ")))).toEqual(expected);
  });

  it("offer what follows the colon, at which a real bash has split the word", () => {
    expect(complete("send", "box", ":", "w")).toEqual(["writer"]);
    expect(named(complete("send", "box", ":").map((word) => `box:${word}`))).toEqual([
      "box:ops",
      "box:writer",
    ]);
    expect(complete("remind", "5m", "x", "--to", "box", ":", "o")).toEqual(["ops"]);
    expect(named(complete("send", "box", ":", "writer", "x", "--re", "a"))).toEqual(["a1b2c3"]);
    expect(named(complete("send", "box", ":", "writer", ""))).toEqual([]);
  });

  it("offer no name where none is meant, and an option where one is begun", () => {
    for (const typed of [
      "send coder ",
      "agent add co",
      "run co",
      "history --to co",
      "queue priority m7k2q9 i",
    ])
      expect(named(complete(...typed.split(" ")))).toEqual([]);
    expect(complete("send", "--urg")).toEqual(["--urgent"]);
    expect(complete("queue", "cancel", "--js")).toEqual(["--json"]);
  });

  /** bash is always available; the other shells are tested if they are installed. */
  const asked: Readonly<Record<"fish" | "zsh", () => string>> = { fish: askFish, zsh: askZsh };
  const here = (["fish", "zsh"] as const).filter((shell) => findOnPath(shell, process.env.PATH ?? ""));

  it("offer the same in fish and zsh, and are quiet about it", () => {
    for (const shell of here) {
      const answers = asked[shell]()
        .split(/^=\d+\n/mu)
        .slice(1);
      expect(answers).toHaveLength(OFFERED.length);
      for (const [index, [typed, expected]] of OFFERED.entries()) {
        // zsh filters the offers itself.
        const begun = typed.split(" ").at(-1) ?? "";
        const found = (answers[index] ?? "").split("\n").map((line) => line.split("\t")[0] ?? "");
        const offered = named(found.filter((word) => word.startsWith(begun)));
        expect([shell, typed, offered]).toEqual([shell, typed, expected]);
      }
    }
  });

  function askFish(): string {
    const script = completionScript("fish", COMMANDS).replaceAll("bellhop completions words", "__fake words");
    const fake = `function __fake\n  switch $argv[2]\n${FISH_ANSWERS}\n  end\nend`;
    const lines = OFFERED.map(([typed], index) => `echo "=${index}"; complete -C 'bellhop ${typed}'`);
    return run("fish", ["--no-config", "-c", [fake, script, ...lines].join("\n")]);
  }

  function askZsh(): string {
    // A stand-in for compinit: enough to see what would be offered.
    const tools = `${FAKE_BELLHOP}
compdef() { :; }
_files() { :; }
compadd() { :; }
_describe() { local list="\${@[-1]}"; local each; for each in "\${(@P)list}"; do print -r -- "\${\${\${each//\\\\:/%}%%:*}//\\%/:}"; done; }`;
    const lines = OFFERED.map(([typed], index) => {
      const words = typed.split(" ").map((word) => `"${word}"`);
      return `echo "=${index}"; words=(bellhop ${words.join(" ")}); CURRENT=$#words; _bellhop`;
    });
    return run("zsh", ["-f", "-c", [tools, completionScript("zsh", COMMANDS), ...lines].join("\n")]);
  }
});

const FISH_ANSWERS = String.raw`    case agent
      printf 'coder\tclaude\nreviewer\tnot running\n'
    case recipient
      printf 'coder\tclaude\nreviewer\tnot running\nbox:writer\tcodex, on box: busy\nbox:ops\t\n'
    case waiting
      printf 'm7k2q9\tagent/coder: hello there\n'
    case message
      printf 'a1b2c3\tagent/coder: hi\n'
    case reminder
      printf 'ymwo13\tstretch\n'`;

function run(shell: string, argv: readonly string[]): string {
  return execFileSync(shell, [...argv], { encoding: "utf8", timeout: 20_000 });
}
