/** `--help`, generated from the specs that parse the command line. */
import { COMMON_OPTIONS, type Command, type OptionSpec } from "../command.ts";
import type { Output } from "./output.ts";
import { pad } from "./table.ts";

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

export function printOverview(out: Output, groups: readonly CommandGroup[]): void {
  out.line("Bellhop carries messages between people and coding agents, and never barges in.");
  out.line("");
  out.line("Usage: bellhop COMMAND [options]");
  for (const { title, commands } of groups) {
    heading(out, title);
    printList(
      out,
      commands.map(({ name, aliases = [], summary }) => [[name, ...aliases].join(", "), summary]),
    );
  }
  out.line("");
  out.line('Help for one command: "bellhop send --help". Every command takes --json.');
  out.line("Exit status: 0 ok, 1 failed, 2 usage, 3 no such recipient, 4 ambiguous, 5 daemon unreachable,");
  out.line("6 held or unconfirmed: look, 7 timed out.");
}

export function printHelp(out: Output, command: Command, path: readonly string[]): void {
  out.line(`bellhop ${path.join(" ")}: ${command.summary}`);
  out.line("");
  command.usage.forEach(
    (form, index) => void out.line(`${index === 0 ? "Usage: " : "       "}bellhop ${form}`),
  );
  if (command.subcommands !== undefined) {
    heading(out, "Commands");
    printList(
      out,
      command.subcommands.map(({ name, summary }) => [name, summary]),
    );
  }
  heading(out, "Options");
  printList(
    out,
    Object.entries({ ...command.options, ...COMMON_OPTIONS }).map(([name, spec]) => [
      optionForm(name, spec),
      spec.summary,
    ]),
  );
  heading(out, "Examples");
  printList(
    out,
    command.examples.map(({ command: line, does }) => [line, does]),
  );
}

function optionForm(name: string, { short, kind, value = "VALUE" }: OptionSpec): string {
  const long = kind === "flag" ? `--${name}` : `--${name} ${value}`;
  return short === undefined ? long : `-${short}, ${long}`;
}

function heading(out: Output, title: string): void {
  out.line("");
  out.line(out.paint("bold", title));
}

function printList(out: Output, rows: readonly (readonly [string, string])[]): void {
  const width = Math.max(...rows.map(([left]) => left.length));
  for (const [left, right] of rows) out.line(`  ${pad(left, width)}  ${right}`);
}
