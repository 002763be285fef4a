/** `bellhop peek --follow`: an agent's screen as it changes. Redrawn in place in a terminal, appended in a pipe. */
import type { ReadStream } from "node:tty";
import { BLANK, type Row, sameCell } from "../../screens/cells.ts";
import type { HostPlace } from "../connection.ts";
import { faintRow } from "../drawing/cell-text.ts";
import { Painter } from "../drawing/painter.ts";
import { firstShown, fitted } from "../drawing/picture.ts";
import { PLAIN_MODES } from "../drawing/terminal-modes.ts";
import { type OutputStream, PersonTerminal } from "../person-terminal.ts";
import { followHost } from "./followed-host.ts";
import { followPolls, type Polled } from "./followed-polls.ts";
import type { FollowEar, FollowEnd, FollowedScreen } from "./followed-screen.ts";

export interface FollowSetting {
  readonly agent: string;
  readonly source:
    | { readonly kind: "host"; readonly place: HostPlace }
    | { readonly kind: "polls"; readonly first: Polled; ask(): Promise<Polled> };
  readonly colours: "with" | "without";
  readonly onto:
    | { readonly kind: "window"; readonly input: ReadStream; readonly output: OutputStream }
    /** `print` resolves when there is room for more. */
    | { readonly kind: "pipe"; print(lines: readonly string[]): Promise<void> };
  readonly left: AbortSignal;
}

/** Changes within this time are shown as one screen. A pipe's reader wants fewer than an eye. */
const PACE_MS = { window: 50, pipe: 500 } as const;
const MIDWAY_MS = 200;

/** Resolves with the last screen. */
export async function follow(
  setting: FollowSetting,
): Promise<FollowEnd & { readonly lastScreen: readonly string[] }> {
  const { source, onto, left, colours } = setting;
  let end: FollowEnd | undefined;
  let wake = (): void => {};
  let news: "nothing" | "changed" = "nothing";
  const ear: FollowEar = {
    changed() {
      news = "changed";
      wake();
    },
    over(how) {
      end ??= how;
      wake();
    },
  };
  const leave = (): void => ear.over({ kind: "left" });
  left.addEventListener("abort", leave);
  const window = onto.kind === "window" ? new FollowWindow(setting.agent, onto, ear, leave) : undefined;
  let screen: FollowedScreen | undefined;
  let printed: string | undefined;
  const linesNow = (): readonly string[] => textOf(screen?.rows() ?? [], colours);
  const show = async (): Promise<void> => {
    const lines = linesNow();
    const text = lines.join("\n");
    if (window !== undefined) window.paint(plainer(screen?.rows() ?? [], colours));
    else if (onto.kind === "pipe" && text !== printed) await onto.print(lines);
    printed = text;
  };
  try {
    screen =
      source.kind === "host"
        ? await followHost(source.place, ear)
        : followPolls(() => source.ask(), source.first, ear);
    while (end === undefined) {
      if (news === "nothing") {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = () => {};
        continue;
      }
      // The first screen is shown at once.
      await paused(printed === undefined ? 0 : midwayMs(screen, onto.kind), (stop) => {
        wake = () => end !== undefined && stop();
      });
      if (end !== undefined) break;
      news = "nothing";
      await show();
    }
    if (end.kind === "ended" && window === undefined) await show();
    return { ...end, lastScreen: linesNow() };
  } finally {
    window?.close();
    screen?.close();
    left.removeEventListener("abort", leave);
  }
}

function midwayMs(screen: FollowedScreen, onto: "window" | "pipe"): number {
  return screen.isMidway() ? Math.max(MIDWAY_MS, PACE_MS[onto]) : PACE_MS[onto];
}

function paused(ms: number, onStop: (stop: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    onStop(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

class FollowWindow {
  readonly #agent: string;
  readonly #terminal: PersonTerminal;
  readonly #painter = new Painter();

  constructor(
    agent: string,
    { input, output }: { readonly input: ReadStream; readonly output: OutputStream },
    ear: FollowEar,
    leave: () => void,
  ) {
    this.#agent = agent;
    this.#terminal = new PersonTerminal(input, output);
    const again = (what: "rows" | "everything") => {
      this.#painter.forget(what);
      ear.changed();
    };
    this.#terminal.enter({
      // C-c and C-d, as in any program that only shows; q as in a pager.
      typed: (bytes) => {
        if (bytes.some((byte) => byte === 0x03 || byte === 0x04 || byte === 0x71)) leave();
      },
      resized: () => again("rows"),
      returned: () => again("everything"),
      signalled: leave,
      hungUp: leave,
      failed: leave,
    });
  }

  paint(rows: readonly Row[]): void {
    const { cols, rows: height } = this.#terminal.size;
    const room = Math.max(1, height - 1);
    const first = firstShown(rows, room);
    const shown = Array.from({ length: room }, (_, y) => fitted(rows[first + y], cols));
    const foot = faintRow(`${this.#agent} · only watching · C-c ends`, cols);
    const cursor = { x: 0, y: 0, visible: false, shape: 0 };
    const picture = { rows: [...shown, foot].slice(-height), cursor, modes: PLAIN_MODES };
    const bytes = this.#painter.paint(picture, this.#agent);
    if (bytes !== "") this.#terminal.write(bytes);
  }

  close(): void {
    this.#terminal.leave();
  }
}

function plainer(rows: readonly Row[], colours: "with" | "without"): readonly Row[] {
  if (colours === "with") return rows;
  return rows.map((row) => row.map((cell) => (cell.style === "" ? cell : { ...cell, style: "" })));
}

/** Without trailing blank lines. Each line starts and ends plain. */
function textOf(rows: readonly Row[], colours: "with" | "without"): readonly string[] {
  const lines = plainer(rows, colours).map(lineOf);
  while (lines.at(-1) === "") lines.pop();
  return lines;
}

function lineOf(row: Row): string {
  const end = row.findLastIndex((cell) => cell.width > 0 && !sameCell(cell, BLANK)) + 1;
  let line = "";
  let style = "";
  for (const cell of row.slice(0, end)) {
    if (cell.width === 0) continue;
    if (cell.style !== style) line += cell.style === "" ? "\x1b[0m" : `\x1b[0;${cell.style}m`;
    style = cell.style;
    line += cell.text;
  }
  return style === "" ? line : `${line}\x1b[0m`;
}
