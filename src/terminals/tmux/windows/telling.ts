/** A line, or a bell, for everyone who looks at a tmux server. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { CommandOutcome } from "../control/control.ts";
import { ANNOUNCEMENT_LIMITS } from "./announcement.ts";

/** The window of the pane to leave out, then two rows for each client, in the same order. */
export function peopleCommands(except: string | undefined): string {
  const window =
    except === undefined ? 'display-message -p ""' : `display-message -p -t ${except} "#{window_id}"`;
  const clients = (what: string) => `list-clients -F "#{client_control_mode}/#{window_id}/#{${what}}"`;
  return `${window} ; ${clients("client_name")} ; ${clients("client_tty")}`;
}

export interface People {
  /** Names of the clients that people use. */
  readonly clients: readonly string[];
  /** The terminals in which those clients run. */
  readonly ttys: readonly string[];
}

/** Undefined if tmux answers in an unknown form. */
export function readPeople(outcome: CommandOutcome): People | undefined {
  if (outcome.kind !== "answered") return undefined;
  const [window, names, ttys] = outcome.blocks;
  if (names?.ok !== true || ttys?.ok !== true || names.lines.length !== ttys.lines.length) return undefined;
  // A pane that is gone has no window: then nobody is left out.
  const seen = window?.ok === true ? (window.lines[0] ?? "") : "";
  const isPerson = (row: string): boolean =>
    row.startsWith("0/") && (seen === "" || !row.startsWith(`0/${seen}/`));
  const told = (rows: readonly string[]) =>
    rows
      .filter(isPerson)
      .map((row) => row.split("/").slice(2).join("/"))
      .slice(0, ANNOUNCEMENT_LIMITS.viewers);
  return { clients: told(names.lines), ttys: told(ttys.lines) };
}

const BELL = "\x07";
/** Matches the names that tmux gives to clients' terminals, and nothing else. */
const TTY_PATH = /^\/dev\/(?:pts\/\d{1,9}|tty[a-zA-Z0-9]{1,32})$/;

/**
 * Rings the bell where a person sits. tmux has no command for it, so the one byte is written to the terminal in which
 * the client runs: no program reads it, and a terminal in the middle of an escape sequence rings and continues.
 */
export async function ringAt(tty: string): Promise<void> {
  if (!TTY_PATH.test(tty)) return;
  try {
    const file = await open(tty, constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (found.isCharacterDevice() && found.uid === process.getuid?.()) await file.write(BELL);
    } finally {
      await file.close();
    }
  } catch {
    // They have left, or their terminal accepts nothing at the moment.
  }
}
