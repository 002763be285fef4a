/** The command for a session that Bellhop starts, adapted to its program. */
import { basename } from "node:path";
import type { CommandOrder } from "../ports/hosts.ts";
import type { CommandSetting, Program } from "./program.ts";

/** The command to run; with a conversation's id, it resumes that conversation. */
export function preparedCommand(
  order: CommandOrder,
  programs: readonly Pick<Program, "name" | "command">[],
  setting: CommandSetting,
): readonly string[] {
  const called = basename(order.command[0] ?? "");
  const program = programs.find(({ name }) => name === called);
  return program?.command?.(order, setting) ?? order.command;
}
