/** Captured screens as files: `<case>.ansi` with colours, `.txt` without, `.meta` with the facts, `readings.json`. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { BellhopError } from "../../../core/errors.ts";
import type { Screen } from "../../../core/readiness/screen.ts";
import { toAnsi } from "../../../screens/ansi.ts";
import { parseScreenLines } from "../../../terminals/tmux/screen/parser.ts";

const READINGS = "readings.json";
const MOST_FILES = 1_000;

export interface Capture {
  /** The program and the release that drew it. */
  readonly program: string;
  readonly version: string;
  readonly screen: Screen;
}

/** A capture that is there is not written over. */
export function writeCapture(
  folder: string,
  name: string,
  { program, version, screen }: Capture,
  reading: string,
) {
  const file = (ending: string) => join(folder, `${name}.${ending}`);
  if (existsSync(file("ansi")))
    throw new BellhopError("file.unsafe", {
      message: `${file("ansi")} is there already. Nothing was written.`,
      next: "Give another --name, or remove that capture first.",
    });
  mkdirSync(folder, { recursive: true });
  const { columns, rows, cursor, alternate, mode, command, title } = screen;
  const meta = {
    size: `${columns}x${rows}`,
    cursor: `${cursor.x},${cursor.y}`,
    cursor_visible: cursor.visible ? "1" : "0",
    alternate: alternate ? "1" : "0",
    ...{ mode, command, title, program, version },
  };
  writeFileSync(file("ansi"), `${toAnsi(screen.lines)}\n`);
  writeFileSync(file("txt"), `${screen.lines.map(({ text }) => text.trimEnd()).join("\n")}\n`);
  writeFileSync(
    file("meta"),
    Object.entries(meta)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(""),
  );
  const readings = { ...readReadings(folder), [name]: reading };
  const sorted = Object.fromEntries(Object.entries(readings).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(join(folder, READINGS), `${JSON.stringify(sorted, null, 2)}\n`);
}

export interface FoundCapture extends Capture {
  readonly name: string;
  /** How it was read when it was captured. */
  readonly recorded?: string;
}

/** All captures in the folder and below it, in order of their names. */
export function readCaptures(folder: string): readonly FoundCapture[] {
  let files: readonly string[];
  try {
    files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    files = [];
  }
  const names = files.filter((file) => file.endsWith(".ansi")).sort();
  if (names.length === 0 || names.length > MOST_FILES)
    throw new BellhopError("usage.invalid", {
      message: `${folder} holds ${names.length === 0 ? "no" : "too many"} captures (*.ansi).`,
      next: 'Make some with "bellhop profile learn WHO --to FOLDER".',
    });
  return names.map((file) => readCapture(folder, file.slice(0, -".ansi".length)));
}

function readCapture(folder: string, name: string): FoundCapture {
  const path = join(folder, name);
  const meta = new Map(
    linesOf(`${path}.meta`).flatMap((line) => {
      const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
      return key === undefined ? [] : [[key, value ?? ""] as const];
    }),
  );
  const numbers = (key: string, between: string) => (meta.get(key) ?? "").split(between).map(Number);
  const [columns = 0, rows = 0] = numbers("size", "x");
  const [x = 0, y = 0] = numbers("cursor", ",");
  if (![columns, rows, x, y].every(Number.isInteger) || columns < 1 || rows < 1)
    throw new BellhopError("usage.invalid", {
      message: `${path}.meta does not say how large the screen is and where its cursor stands.`,
      next: "Capture the screen again.",
    });
  const drawn = linesOf(`${path}.ansi`).slice(0, rows);
  const lines = parseScreenLines([...drawn, ...Array.from({ length: rows - drawn.length }, () => "")]);
  const recorded = readReadings(dirname(path))[basename(path)];
  return {
    name,
    // Captures of this project have these in their path.
    program: meta.get("program") ?? "",
    version: meta.get("version") ?? "",
    ...(recorded === undefined ? {} : { recorded }),
    screen: {
      columns,
      rows,
      cursor: { x, y, visible: meta.get("cursor_visible") === "1" },
      alternate: meta.get("alternate") === "1",
      title: meta.get("title") ?? "",
      command: meta.get("command") ?? "",
      mode: meta.get("mode") ?? "",
      ...{ dead: false, inputOff: false, synchronised: false },
      lines,
    },
  };
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n").slice(0, -1);
  } catch (cause) {
    throw new BellhopError("usage.invalid", {
      message: `${file} cannot be read.`,
      next: "Capture the screen again.",
      cause,
    });
  }
}

function readReadings(folder: string): Readonly<Record<string, string>> {
  const file = join(folder, READINGS);
  if (!existsSync(file)) return {};
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
  } catch (cause) {
    throw new BellhopError("usage.invalid", {
      message: `${file} is not JSON.`,
      next: "Correct it, or remove it.",
      cause,
    });
  }
}
