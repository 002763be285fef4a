/** What is half written to an agent, kept in this browser until it is sent. */

import type { Priority } from "../../../src/core/message.ts";
import { parsePriority } from "../../../src/core/priority.ts";

export interface KeptText {
  readonly text: string;
  readonly priority: Priority;
  /** Short id of the message that it answers. */
  readonly re?: string;
}

type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const keyFor = (agent: string) => `bellhop-writing/${agent}`;
const NOTHING: KeptText = { text: "", priority: "normal" };

/** Anything may stand there: another version of the page wrote it, or a person did. */
export function keptText(shelf: Shelf, agent: string): KeptText {
  try {
    const { text, priority, re } = JSON.parse(shelf.getItem(keyFor(agent)) ?? "{}") as Record<
      string,
      unknown
    >;
    return {
      text: typeof text === "string" ? text : "",
      priority: (typeof priority === "string" ? parsePriority(priority) : undefined) ?? "normal",
      ...(typeof re === "string" ? { re } : {}),
    };
  } catch {
    return NOTHING;
  }
}

/** Without a text, nothing is kept. A full shelf costs only that it is not there after a reload. */
export function keepText(shelf: Shelf, agent: string, kept: KeptText): void {
  try {
    if (kept.text === "") shelf.removeItem(keyFor(agent));
    else shelf.setItem(keyFor(agent), JSON.stringify(kept));
  } catch {
    shelf.removeItem(keyFor(agent));
  }
}

interface Move {
  readonly from: string;
  readonly to: string;
}

/** Agents have other names, all at once: two may have swapped theirs. A text that stands for the new name stays. */
export function moveTexts(shelf: Shelf, moves: readonly Move[]): void {
  let going = moves
    .filter(({ to }, index) => moves.findIndex((move) => move.to === to) === index)
    .flatMap((move) => {
      const text = shelf.getItem(keyFor(move.from));
      return text === null ? [] : [{ ...move, text }];
    });
  for (let before = -1; before !== going.length; ) {
    before = going.length;
    const leaving = new Set(going.map(({ from }) => from));
    going = going.filter(({ to }) => leaving.has(to) || shelf.getItem(keyFor(to)) === null);
  }
  for (const { from } of going) shelf.removeItem(keyFor(from));
  for (const { from, to, text } of going) {
    // There was room for it under its old name. Where there is none either, the others still move.
    if (!putIfRoom(shelf, to, text) && shelf.getItem(keyFor(from)) === null) putIfRoom(shelf, from, text);
  }
}

/** Whether there was room. */
function putIfRoom(shelf: Shelf, agent: string, text: string): boolean {
  try {
    shelf.setItem(keyFor(agent), text);
    return true;
  } catch {
    return false;
  }
}
