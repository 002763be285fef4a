import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Screen } from "../src/core/readiness/screen.ts";
import { parseScreenLines } from "../src/terminals/tmux/screen/parser.ts";

export { describeReading } from "../src/core/readiness/described.ts";

/** Golden screens: what real programs drew, captured from tmux. `<program>/<version>/<case>.{ansi,txt,meta}`. */
const FOLDER = fileURLToPath(new URL("../fixtures/screens", import.meta.url));

export interface CapturedScreen {
  /** `<program>/<version>/<case>`. */
  readonly name: string;
  readonly screen: Screen;
}

/** The programs of which there are captured screens. */
export function capturedReleases(program: string): readonly string[] {
  return existsSync(join(FOLDER, program)) ? readdirSync(join(FOLDER, program)) : [];
}

/** Every captured screen of a program's release, in order of name. */
export function capturedScreens(program: string, version: string): readonly CapturedScreen[] {
  return readdirSync(join(FOLDER, program, version))
    .filter((file) => file.endsWith(".ansi"))
    .map((file) => file.slice(0, -".ansi".length))
    .sort()
    .map((name) => ({ name, screen: capturedScreen(`${program}/${version}/${name}`) }));
}

/** What each captured screen shows, as `describeReading` words it; reviewed by hand against its `.txt`. */
export function expectedReadings(program: string, version: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(FOLDER, program, version, "readings.json"), "utf8"));
}

export function capturedScreen(name: string): Screen {
  const lines = readFileSync(join(FOLDER, `${name}.ansi`), "utf8").split("\n");
  return screenOf(lines.slice(0, -1), readMeta(name));
}

/** A screen drawn by hand: escape sequences are understood as in a capture. */
export function drawnScreen(lines: readonly string[], facts: Partial<ScreenFacts> = {}): Screen {
  return screenOf(lines, { ...PLAIN, rows: lines.length, ...facts });
}

export interface ScreenFacts {
  readonly columns: number;
  readonly rows: number;
  readonly x: number;
  readonly y: number;
  readonly visible: boolean;
  readonly alternate: boolean;
  readonly mode: string;
  readonly command: string;
  readonly title: string;
}

const PLAIN: ScreenFacts = {
  columns: 80,
  rows: 24,
  x: 0,
  y: 0,
  visible: true,
  alternate: true,
  mode: "",
  command: "program",
  title: "",
};

function screenOf(lines: readonly string[], facts: ScreenFacts): Screen {
  const missing = Array.from({ length: Math.max(0, facts.rows - lines.length) }, () => "");
  return {
    columns: facts.columns,
    rows: facts.rows,
    cursor: { x: facts.x, y: facts.y, visible: facts.visible },
    alternate: facts.alternate,
    title: facts.title,
    command: facts.command,
    mode: facts.mode,
    dead: false,
    inputOff: false,
    synchronised: false,
    lines: parseScreenLines([...lines, ...missing]),
  };
}

function readMeta(name: string): ScreenFacts {
  const entries = readFileSync(join(FOLDER, `${name}.meta`), "utf8")
    .split("\n")
    .map((line) => /^(\w+)=(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, key = "", value = ""]) => [key, value] as const);
  const meta = new Map(entries);
  const [columns = 0, rows = 0] = (meta.get("size") ?? "").split("x").map(Number);
  const [x = 0, y = 0] = (meta.get("cursor") ?? "").split(",").map(Number);
  return {
    columns,
    rows,
    x,
    y,
    visible: meta.get("cursor_visible") === "1",
    alternate: meta.get("alternate") === "1",
    mode: meta.get("mode") ?? "",
    command: meta.get("command") ?? "",
    title: meta.get("title") ?? "",
  };
}
