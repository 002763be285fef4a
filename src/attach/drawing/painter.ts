/** Remembers what the person's terminal shows, and computes what to send for the next picture. */

import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { Row } from "../../screens/cells.ts";
import { drawRows } from "../../screens/draw-rows.ts";
import type { Picture } from "./picture.ts";
import type { ProgramCursor } from "./replica.ts";
import { PLAIN_MODES, switchModes, type TerminalModes } from "./terminal-modes.ts";

/** Turns off every mode that may be on, no matter who set it. */
const PLAIN = [
  "\x1b[?2026l\x1b[0m\x1b[?2004l\x1b[?1l\x1b>\x1b[?1004l",
  "\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[0 q",
].join("");

/** The alternate screen without wrapping: a character that this terminal draws wider must not scroll it. */
const ALTERNATE = "\x1b[?1049h\x1b[?7l\x1b[0m\x1b[2J\x1b[H";

/** Saves the title first. */
export const ENTER = `\x1b[22;0t${ALTERNATE}`;

/** Used after another program has used the terminal. */
export const RETURN = PLAIN + ALTERNATE;

export const LEAVE = `${PLAIN}\x1b[?7h\x1b[?25h\x1b[?1049l\x1b[23;0t`;

const TITLE_CHARACTERS = 120;

export class Painter {
  #rows: readonly Row[] = [];
  #cursor: ProgramCursor | undefined;
  #modes: TerminalModes = PLAIN_MODES;
  #title = "";
  #shape = 0;
  #clear = "";

  /** The window has changed and shows anything. After `RETURN`, its modes are plain and its title is not ours. */
  forget(what: "rows" | "everything"): void {
    this.#rows = [];
    this.#cursor = undefined;
    this.#clear = "\x1b[0m\x1b[2J";
    if (what === "rows") return;
    this.#modes = PLAIN_MODES;
    this.#shape = 0;
    this.#title = "";
  }

  /** Empty if the terminal already shows this picture. */
  paint({ rows, cursor, modes }: Picture, title: string): string {
    const drawn = this.#clear + drawRows(this.#rows, rows);
    const switched = switchModes(this.#modes, modes);
    const named = this.#titled(title);
    const shape = cursor.shape === this.#shape ? "" : `\x1b[${cursor.shape} q`;
    const moved = drawn !== "" || shape !== "" || !sameCursor(this.#cursor, cursor);
    this.#rows = rows;
    this.#modes = modes;
    this.#cursor = cursor;
    this.#shape = cursor.shape;
    this.#clear = "";
    if (drawn === "" && !moved) return named + switched;
    const place = cursor.visible ? `\x1b[${cursor.y + 1};${cursor.x + 1}H\x1b[?25h` : "";
    return `\x1b[?2026h\x1b[?25l${drawn}${named}${switched}${shape}${place}\x1b[?2026l`;
  }

  #titled(title: string): string {
    const shown = sanitiseLine(title, TITLE_CHARACTERS);
    if (shown === this.#title) return "";
    this.#title = shown;
    return `\x1b]2;${shown}\x07`;
  }
}

function sameCursor(one: ProgramCursor | undefined, other: ProgramCursor): boolean {
  return one !== undefined && one.x === other.x && one.y === other.y && one.visible === other.visible;
}
