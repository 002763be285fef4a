/** The final check of a hosted terminal: what must hold in the turn in which the keys are sent. Pure. */
import { isStillShown } from "../../../core/readiness/shown-sign.ts";
import type { GateExpectation, GateRefusal } from "../../../ports/terminal.ts";

export interface HostScene {
  readonly dead: boolean;
  readonly programPid: number;
  readonly command: string;
  readonly alternate: boolean;
  readonly cursor: { readonly x: number; readonly y: number; readonly visible: boolean };
  /** Time since a person's last byte; infinite if there was none. */
  readonly quietMs: number;
  /** Whether one person has the keyboard to themselves. */
  readonly passthrough: boolean;
  readonly title: string;
  /** The text of the screen's rows. */
  rows(): readonly string[];
}

export function gateRefusals(expectation: GateExpectation, scene: HostScene): readonly GateRefusal[] {
  const { panePid, command, alternate, cursorHidden, cursor, sign, quietForMs, keyboard } = expectation;
  const because: GateRefusal[] = [];
  if (scene.dead) because.push("dead");
  if (scene.passthrough && keyboard !== "may-be-taken") because.push("attached");
  if (scene.programPid !== panePid) because.push("other-process");
  if (command !== undefined && command !== scene.command) because.push("other-command");
  const otherScreen = alternate !== undefined && alternate !== scene.alternate;
  const otherCursor = cursorHidden !== undefined && cursorHidden === scene.cursor.visible;
  if (otherScreen || otherCursor) because.push("screen-kind");
  if (cursor !== undefined && (cursor.x !== scene.cursor.x || cursor.y !== scene.cursor.y))
    because.push("cursor-moved");
  if (sign !== undefined && !isStillShown(sign, { title: scene.title, rows: scene.rows() }))
    because.push("sign-gone");
  if (quietForMs !== undefined && scene.quietMs < quietForMs) because.push("typing");
  return because;
}
