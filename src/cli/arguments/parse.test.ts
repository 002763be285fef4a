import { describe, expect, it } from "vitest";
import type { BellhopError } from "../../core/errors.ts";
import { type Arguments, COMMON_OPTIONS, type Command } from "../command.ts";
import { COMMANDS } from "../registry.ts";
import { findCommand, parseArguments, unknownCommand, wants } from "./parse.ts";

const parse = (...argv: readonly string[]): Arguments => {
  const line = findCommand(argv, COMMANDS);
  if (line === undefined) throw new Error("no such command");
  return parseArguments(line);
};
const refusal = (...argv: readonly string[]): BellhopError => {
  try {
    parse(...argv);
  } catch (error) {
    return error as BellhopError;
  }
  throw new Error("was taken");
};

describe("the command line", () => {
  it("takes words and options in any order", () => {
    const args = parse("send", "--priority", "idle", "coder", "--raw", "hello", "--key=Enter", "--key", "Up");
    expect(args.words).toEqual(["coder", "hello"]);
    expect(args.value("priority")).toBe("idle");
    expect(args.flag("raw")).toBe(true);
    expect(args.values("key")).toEqual(["Enter", "Up"]);
  });

  it("takes anything after -- as a word, and knows that it was", () => {
    const args = parse("send", "coder", "--", "--urgent");
    expect(args.words).toEqual(["coder", "--urgent"]);
    expect(args.flag("urgent")).toBe(false);
    expect(args.isLiteral(1)).toBe(true);
    expect(args.isLiteral(0)).toBe(false);
    expect(parse("send", "coder", "-").isLiteral(1)).toBe(false);
    expect(parse("send", "coder", "--", "-").isLiteral(1)).toBe(true);
  });

  it("goes down into subcommands, with common flags anywhere", () => {
    expect(findCommand(["--json", "queue", "--json", "cancel", "x"], COMMANDS)).toMatchObject({
      path: ["queue", "cancel"],
      rest: ["--json", "--json", "x"],
    });
    expect(findCommand(["queue", "coder"], COMMANDS)?.path).toEqual(["queue"]);
    expect(findCommand(["output", "coder"], COMMANDS)?.path).toEqual(["peek"]);
    expect(findCommand(["nope"], COMMANDS)).toBeUndefined();
    expect(findCommand(["--json"], COMMANDS)).toBeUndefined();
  });

  it("sees --json and --help only before --", () => {
    expect(wants(["send", "a", "--json"], "json")).toBe(true);
    expect(wants(["send", "a", "--", "--json"], "json")).toBe(false);
    expect(wants(["send", "-h"], "help")).toBe(true);
  });

  it.each<[string, readonly string[], RegExp, RegExp]>([
    [
      "several words of text",
      ["send", "coder", "hello", "big", "world"],
      /at most 2 words, not 4/,
      /send coder "hello big world"/,
    ],
    ["no words", ["send"], /needs more/, /Usage: bellhop send WHO "TEXT"/],
    [
      "an unknown option",
      ["send", "coder", "x", "--prority", "idle"],
      /no option "--prority"/,
      /"--priority"/,
    ],
    ["an unknown short option", ["send", "coder", "-x"], /no option "-x"/, /goes after "--"/],
    ["a text that starts with a dash", ["send", "coder", "- item"], /no option/, /goes after "--"/],
    ["a value for a flag", ["send", "coder", "x", "--raw=yes"], /--raw takes no value/, /--raw alone/],
    ["no value", ["send", "coder", "x", "--priority"], /--priority needs a value/, /--priority P/],
    [
      "an option for a value",
      ["send", "coder", "x", "--file", "--raw"],
      /--file needs a value/,
      /--file=--raw/,
    ],
    ["too few lines", ["peek", "coder", "--lines", "-1"], /needs a value/, /a number from 1 to 10000\.$/],
    ["too few lines of the log", ["logs", "-n", "-1"], /needs a value/, /a number from 0 to 100000\.$/],
    [
      "a value that is none",
      ["send", "coder", "x", "--priority", "idel"],
      /--priority does not take "idel"/,
      /Did you mean "idle"/,
    ],
    [
      "a state that is none",
      ["send", "coder", "x", "--wait", "gone"],
      /--wait does not take "gone"/,
      /delivered, read, replied/,
    ],
    ["words for none", ["ls", "coder"], /takes no words/, /Usage: bellhop ls/],
    [
      "a word too many where no text is taken",
      ["queue", "move", "a", "first"],
      /takes at most 1 word, not 2/,
      /^Usage: bellhop queue move ID --before ID, or bellhop queue move ID --after ID$/,
    ],
    ["a text without quotes", ["send", "coder", "a", "b"], /takes at most 2 words/, /send coder "a b"/],
    ["a misspelt subcommand", ["queue", "cancle", "m7k2q9"], /no command "cancle"/, /bellhop queue cancel/],
    [
      "an unknown shell",
      ["completions", "tcsh"],
      /"bellhop completions" does not take "tcsh"/,
      /bash, zsh, fish/,
    ],
    ["a name of the prototype", ["send", "coder", "x", "--constructor"], /no option/, /bellhop send --help/],
  ])("refuses %s and says what to do", (_, argv, message, next) => {
    const error = refusal(...argv);
    expect(error.exitCode).toBe(2);
    expect(error.message).toMatch(message);
    expect(error.next).toMatch(next);
  });

  it("guesses a misspelt command", () => {
    expect(unknownCommand("sned", [], COMMANDS).next).toBe('Did you mean "bellhop send"?');
    expect(unknownCommand("xyzzy", [], COMMANDS).next).toBe('See "bellhop --help".');
  });
});

describe("the specs", () => {
  const all = (commands: readonly Command[]): readonly Command[] =>
    commands.flatMap((command) => [command, ...all(command.subcommands ?? [])]);

  it.each(all(COMMANDS).map((command) => [command.usage[0] ?? command.name, command] as const))(
    "%s is complete",
    (_, command) => {
      expect(command.summary).not.toBe("");
      expect(command.usage.length).toBeGreaterThan(0);
      expect(command.examples.length).toBeGreaterThan(0);
      expect(command.run !== undefined || (command.subcommands?.length ?? 0) > 0).toBe(true);
      expect(
        Object.keys(command.options ?? {}).filter((name) => Object.hasOwn(COMMON_OPTIONS, name)),
      ).toEqual([]);
      for (const option of Object.values(command.options ?? {})) expect(option.summary).not.toBe("");
    },
  );

  it("has one command for each name", () => {
    const names = COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
  });

  it("holds examples that parse", () => {
    for (const { examples } of all(COMMANDS)) {
      for (const { command: example } of examples) {
        const words = /(?:^|[|(] ?)bellhop ([^|&)]+)/.exec(example)?.[1];
        const argv = [...(words ?? "").matchAll(/"([^"]*)"|(\S+)/g)].map(
          ([, quoted, plain]) => quoted ?? plain ?? "",
        );
        expect(() => parse(...argv), example).not.toThrow();
      }
    }
  });
});
