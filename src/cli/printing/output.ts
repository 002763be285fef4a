/** Output for people and scripts. Everything that others wrote is sanitised unless it is JSON. */
import { asBellhopError, type BellhopError, EXIT } from "../../core/errors.ts";
import { sanitiseLine, sanitiseText } from "../../core/text/sanitise.ts";

export interface Sink {
  write(text: string): void;
  /** Resolves when there is room for more. */
  drained(): Promise<void>;
  readonly isTerminal: boolean;
  readonly columns: number;
}

export type Style = "bold" | "dim" | "red" | "green" | "yellow";

const SGR: Readonly<Record<Style, string>> = { bold: "1", dim: "2", red: "31", green: "32", yellow: "33" };

export class Output {
  readonly #stdout: Sink;
  readonly #stderr: Sink;
  readonly #colours: () => "on" | "off";
  readonly json: boolean;

  constructor(options: {
    readonly stdout: Sink;
    readonly stderr: Sink;
    readonly colours: () => "on" | "off";
    readonly json: boolean;
  }) {
    this.#stdout = options.stdout;
    this.#stderr = options.stderr;
    this.#colours = options.colours;
    this.json = options.json;
  }

  /** Zero if the output is not a terminal: then nothing is cut. */
  get columns(): number {
    return this.#stdout.isTerminal ? this.#stdout.columns : 0;
  }

  line(text: string): void {
    this.#stdout.write(`${text}\n`);
  }

  /** Unchanged: for text that is already safe, and for JSON lines. */
  raw(text: string): void {
    this.#stdout.write(text);
  }

  value(value: unknown): void {
    this.#stdout.write(`${JSON.stringify(value)}\n`);
  }

  /** A value for scripts; for a person its text, or what `print` prints. */
  result(value: unknown, print: string | (() => void)): void {
    if (this.json) this.value(value);
    else if (typeof print === "string") this.line(print);
    else print();
  }

  /** A long result waits here for its reader, so that it is never held in memory. */
  drained(): Promise<void> {
    return this.#stdout.drained();
  }

  /** Progress, on one line that is overwritten; only shown to a person. */
  progress(text: string): void {
    if (this.#stderr.isTerminal) this.#stderr.write(`\r\x1b[K${text}`);
  }

  /** For the person only; never part of the result. */
  note(text: string): void {
    this.#stderr.write(`${text}\n`);
  }

  paint(style: Style, text: string): string {
    return this.#colours() === "off" ? text : `\x1b[${SGR[style]}m${text}\x1b[0m`;
  }

  /** Returns the exit status. */
  error(thrown: unknown, debug: boolean): number {
    const all = thrown instanceof Failures ? thrown.all : [thrown];
    const [first = asBellhopError(thrown), ...others] = all.map(asBellhopError);
    if (this.json) this.#stderr.write(`${JSON.stringify(failed(first, others))}\n`);
    else {
      for (const error of [first, ...others]) this.#tell(error);
      if (debug) for (const one of all) this.note(sanitiseText(stackOf(one)));
    }
    const unreached = others.find(({ exitCode }) => exitCode === EXIT.unreachable);
    return (unreached ?? first).exitCode;
  }

  #tell(error: BellhopError): void {
    this.note(`${this.paint("red", "bellhop:")} ${sanitiseText(error.message)}`);
    for (const candidate of error.candidates ?? []) this.note(`  · ${sanitiseLine(candidate)}`);
    this.note(`  ${sanitiseText(error.next)}`);
  }
}

/** The errors of a command that does several independent things, in their order. */
export class Failures extends Error {
  override readonly name = "Failures";
  readonly all: readonly unknown[];

  constructor(all: readonly unknown[]) {
    super(`${all.length} failures`);
    this.all = all;
  }
}

function failed(first: BellhopError, others: readonly BellhopError[]): object {
  const detail = { error: first.toDetail() };
  return others.length === 0 ? detail : { ...detail, others: others.map((other) => other.toDetail()) };
}

function stackOf(thrown: unknown): string {
  return String((thrown as Error | undefined)?.stack ?? thrown);
}
