/** One spec per command: it drives parsing, `--help`, completions and "did you mean". */
import { BellhopError } from "../core/errors.ts";
import type { CommandContext } from "./context.ts";

export interface OptionSpec {
  readonly kind: "flag" | "value";
  readonly short?: string;
  /** The value's placeholder in the help: `FILE`, `STATE`. */
  readonly value?: string;
  /** What it takes, in words, if a value must not begin with a dash: `a number from 1 to 10`. */
  readonly takes?: string;
  readonly choices?: readonly string[];
  readonly repeatable?: "yes";
  readonly summary: string;
}

export interface Example {
  readonly command: string;
  readonly does: string;
}

export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Without the leading `bellhop`. */
  readonly usage: readonly string[];
  readonly options?: Readonly<Record<string, OptionSpec>>;
  /** How many plain words it takes; none if absent. */
  readonly words?: { readonly least: number; readonly most: number };
  /** The allowed words, if that is a closed list. */
  readonly wordChoices?: readonly string[];
  readonly examples: readonly Example[];
  readonly subcommands?: readonly Command[];
  /** Returns the exit status, or nothing on success. Absent if only its subcommands do anything. */
  readonly run?: (context: CommandContext, args: Arguments) => Promise<number | undefined>;
}

export interface Arguments {
  readonly words: readonly string[];
  /** A word after `--` is always just a word. */
  isLiteral(index: number): boolean;
  flag(name: string): boolean;
  /** A flag as a field of a request; undefined, and so omitted, if the flag was not given. */
  given(name: string): true | undefined;
  value(name: string): string | undefined;
  values(name: string): readonly string[];
  /** The options that were given. */
  names(): readonly string[];
}

/** Every command has these. */
export const COMMON_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  json: { kind: "flag", summary: "print JSON, for scripts" },
  help: { kind: "flag", short: "h", summary: "show this help" },
};

/** An error for a command line that makes no sense: what is wrong, and how to write it. */
export function usage(message: string, next: string): BellhopError {
  return new BellhopError("usage.invalid", { message, next });
}
