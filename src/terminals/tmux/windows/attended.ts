/** Who looks at a tmux server, and when they last pressed a key. */
import type { Attended } from "../../../ports/terminal.ts";
import type { CommandOutcome } from "../control/control.ts";

export const ATTENDED_COMMAND = 'list-clients -F "#{client_control_mode}/#{client_activity}"';

/** Undefined if tmux answers in an unknown form. Programs, such as Bellhop, are clients in control mode. */
export function readAttended(outcome: CommandOutcome, now: number): Attended | undefined {
  const block = outcome.kind === "answered" ? outcome.blocks[0] : undefined;
  if (block?.ok !== true) return undefined;
  const people = block.lines.filter((row) => row.startsWith("0/"));
  const pressedAt = people.map((row) => Number(row.slice(2)) * 1_000).filter((at) => at > 0);
  if (pressedAt.length === 0) return { people: people.length };
  return { people: people.length, idleMs: Math.max(0, now - Math.max(...pressedAt)) };
}
