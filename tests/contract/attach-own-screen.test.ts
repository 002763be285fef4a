import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type IPty, spawn } from "@lydell/node-pty";
import { afterEach, describe, expect, it } from "vitest";
import type { Screen } from "../../src/core/readiness/screen.ts";
import { ScreenModel } from "../../src/terminals/pty/host/screen-model.ts";
import type { AttachedPerson, WindowSize } from "../rig/attached-person.ts";
import { until } from "../rig/scripted-agent.ts";
import { type AttachStage, attachStageForEach, requireProgram } from "./attach-stage.ts";

const COLOURS = fileURLToPath(new URL("./programs/colours.mjs", import.meta.url));
const BAR_ROWS = 2;

let stage: AttachStage;
let alone: OwnTerminal | undefined;
attachStageForEach((fresh) => {
  stage = fresh;
});
afterEach(() => {
  alone?.close();
  alone = undefined;
});

/** The program in a terminal without Bellhop. */
class OwnTerminal {
  readonly #pty: IPty;
  readonly #model: ScreenModel;

  constructor([file = "", ...args]: readonly string[], size: WindowSize, folder: string) {
    const env = { PATH: process.env.PATH ?? "", HOME: folder, TERM: "xterm-256color", LANG: "C.UTF-8" };
    this.#model = new ScreenModel({ ...size, scrollback: 1_000 });
    this.#pty = spawn(file, args, { name: "xterm-256color", ...size, cwd: folder, env, encoding: null });
    this.#pty.onData((data) => this.#model.write(data as unknown as Buffer));
    this.#model.onAnswer((text) => this.#pty.write(text));
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  resize(size: WindowSize): void {
    this.#model.resize(size);
    this.#pty.resize(size.cols, size.rows);
  }

  async screen(): Promise<Screen> {
    await this.#model.drawn();
    return this.#model.screen({ command: "", dead: false, mode: "" });
  }

  close(): void {
    this.#pty.kill("SIGKILL");
    this.#model.dispose();
  }
}

const within = ({ cols, rows }: WindowSize): WindowSize => ({ cols, rows: rows - BAR_ROWS });

const STABLE_LOOKS = 10;

const serialised = ({ cursor }: Screen, lines: Screen["lines"]) => JSON.stringify({ cursor, lines });

/**
 * Every character, its colours, and the cursor must be the same. The screen must differ from before and stay so for a
 * while: two programs that have not read their keys yet show the same too.
 */
async function seesTheSame(person: AttachedPerson, own: OwnTerminal, before = ""): Promise<string> {
  let told = "";
  let last = "";
  let looks = 0;
  await until(
    async () => {
      const [shown, wanted] = [await person.screen(), await own.screen()];
      const seen = serialised(shown, shown.lines.slice(0, -BAR_ROWS));
      const right = serialised(wanted, wanted.lines);
      told = `the same screen:\n${seen}\n${right}`;
      looks = seen === right && right === last && right !== before ? looks + 1 : 0;
      last = right;
      return looks >= STABLE_LOOKS;
    },
    () => told,
  );
  return last;
}

const text = (lines: number) =>
  Array.from(
    { length: lines },
    (_, line) => `line ${line} — 漢字 é 'quoted' // ${"word ".repeat(line % 25)}`,
  );

const PROGRAMS: Readonly<
  Record<string, { readonly command: (file: string) => readonly string[]; readonly keys: readonly string[] }>
> = {
  vim: {
    command: (file) => ["vim", "-u", "NONE", "-N", "--cmd", "set nu hls cul noswf", "-c", "syntax on", file],
    keys: ["\x06", "gg10jdd", "/quoted\r", "o漢字 typed 👍\x1b", ":vsplit\r", "50G", "ggVG>"],
  },
  less: { command: (file) => ["less", "-N", file], keys: [" ", "G", "g", "/word word\r", "5j"] },
  "256 colours": { command: () => [process.execPath, COLOURS], keys: [] },
  "wide characters": { command: () => [process.execPath, COLOURS, "--wide"], keys: [] },
};

describe("what an attached person sees is what the program shows in a terminal without Bellhop", () => {
  it.each(
    Object.keys(PROGRAMS).flatMap((program) => [
      [program, { cols: 80, rows: 24 }, { cols: 64, rows: 17 }] as const,
      [program, { cols: 117, rows: 41 }, { cols: 130, rows: 45 }] as const,
    ]),
  )("%s, in a window of %o, then of %o", async (name, size, resized) => {
    const program = PROGRAMS[name];
    if (program === undefined) throw new Error(`no program ${name}`);
    const file = join(stage.home, "text.txt");
    writeFileSync(file, text(300).join("\n"));
    const command = program.command(file);
    requireProgram(command[0] ?? "");
    await stage.host(command, within(size));
    const person = stage.person(size);
    const own = new OwnTerminal(command, within(size), stage.home);
    alone = own;
    await person.sees("1 viewer");
    person.type("\x1cp");
    await person.sees("keyboard: you");
    await until(async () => (await own.screen()).lines.some((line) => line.text !== ""), "the program");
    let seen = await seesTheSame(person, own);
    for (const keys of program.keys) {
      for (const hands of [person, own]) hands.type(keys);
      seen = await seesTheSame(person, own, seen);
    }
    person.resize(resized);
    own.resize(within(resized));
    await seesTheSame(person, own, seen);
    expect((await own.screen()).rows).toBe(resized.rows - BAR_ROWS);
  });
});
