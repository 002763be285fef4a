/** A line, or a bell, for everybody who looks at a tmux server. Pure: what to ask tmux, and what its answers mean. */

import type { CommandOutcome } from "../control/control.ts";
import { ANNOUNCEMENT_LIMITS } from "./announcement.ts";

/** The window of the pane that is left out, then two rows of each client in the same order. */
export function peopleCommands(except: string | undefined): string {
  const window =
    except === undefined ? 'display-message -p ""' : `display-message -p -t ${except} "#{window_id}"`;
  const clients = (what: string) => `list-clients -F "#{client_control_mode}/#{window_id}/#{${what}}"`;
  return `${window} ; ${clients("client_name")} ; ${clients("client_tty")}`;
}

export interface People {
  /** Names of the clients that people look with. */
  readonly clients: readonly string[];
  /** The terminals that those run in. */
  readonly ttys: readonly string[];
}

/** Undefined where tmux answers in a form that is not known. */
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

/** What tmux calls a terminal of a client, and nothing else. */
export function isTtyPath(path: string): boolean {
  return /^\/dev\/(?:pts\/\d{1,9}|tty[a-zA-Z0-9]{1,32})$/.test(path);
}
