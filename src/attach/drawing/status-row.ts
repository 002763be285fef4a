/** Draws the status line. Pure. */

import { assertNever } from "../../core/errors.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { Row } from "../../screens/cells.ts";
import type { HostState } from "../../wire/host/host.ts";
import type { ShownSession } from "../../wire/shapes/sessions.ts";
import { cellsOf, cutCells, type Piece, rowOf } from "./cell-text.ts";

export type Daemon =
  | { readonly at: "asked" }
  | { readonly at: "there"; readonly session: ShownSession }
  | { readonly at: "away" }
  /** The daemon is there but refuses to tell. */
  | { readonly at: "refusing"; readonly message: string };

export interface Note {
  readonly text: string;
  readonly tone: "announcement" | "good" | "bad";
  /** What it warns of; the warning ends with its cause. */
  readonly warnsOf?: "obstacle" | "keyboard" | "under-way";
}

export interface Standing {
  readonly agent: string;
  readonly daemon: Daemon;
  readonly host: HostState;
  /** Our number at the host. */
  readonly viewer: number;
  readonly note?: Note;
  /** Shown in place of the queue: the current mode and how to leave it. */
  readonly place?: string;
}

const GROUND = "48;5;236";
const TAKEN = "30;43";
const NAME = `1;${GROUND}`;
const TONES: Readonly<Record<Note["tone"], string>> = {
  announcement: "1;30;46",
  good: `32;${GROUND}`,
  bad: "1;97;41",
};
/** If less would remain for the left side, the right side is dropped. */
const LEAST_LEFT = 24;

export function statusRow(standing: Standing, columns: number): Row {
  const ground = standing.host.passthrough === standing.viewer ? TAKEN : GROUND;
  const right = cellsOf({ text: ` ${people(standing)} `, style: ground });
  const room = columns - right.length >= LEAST_LEFT ? columns - right.length : columns;
  const left = cutCells(pieces(standing, ground).flatMap(cellsOf), room);
  if (room === columns) return rowOf(left, columns, ground);
  const gap = cellsOf({ text: " ".repeat(room - left.length), style: ground });
  return rowOf([...left, ...gap, ...right], columns, ground);
}

function pieces({ agent, daemon, note, place }: Standing, ground: string): readonly Piece[] {
  const name = { text: ` ${sanitiseLine(agent)} `, style: ground === GROUND ? NAME : `1;${ground}` };
  if (note !== undefined) return [name, { text: ` ${sanitiseLine(note.text)} `, style: TONES[note.tone] }];
  const words = [...(place === undefined ? [] : [place]), ...affairs(daemon)];
  return [name, { text: words.join(" · "), style: ground }];
}

function affairs(daemon: Daemon): readonly string[] {
  switch (daemon.at) {
    case "asked":
      return [];
    case "away":
      return ["daemon away"];
    case "refusing":
      return [`daemon: ${sanitiseLine(daemon.message)}`];
    case "there": {
      const { readiness, composer, paused, deliveries, drafts, hold } = daemon.session;
      const held = hold ?? deliveries.find((one) => one.hold !== undefined)?.hold;
      return [
        readiness,
        ...(composer === "draft" ? ["draft in its line"] : []),
        ...(paused ? ["paused"] : []),
        ...(deliveries.length === 0 ? [] : [`${deliveries.length} queued`]),
        ...(held === undefined ? [] : [`${held.reason}: ${sanitiseLine(held.release)}`]),
        ...(drafts.length === 0 ? [] : [`${drafts.length} kept ${drafts.length === 1 ? "draft" : "drafts"}`]),
      ];
    }
    default:
      return assertNever(daemon);
  }
}

function people({ host, viewer }: Standing): string {
  const watching = host.viewers === 1 ? "1 viewer" : `${host.viewers} viewers`;
  if (host.passthrough === null) return watching;
  return `${watching} · keyboard: ${host.passthrough === viewer ? "you" : `viewer ${host.passthrough}`}`;
}
