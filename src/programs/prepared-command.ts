/** The command of a session that we start ourselves, as its program wants it. */
import { basename } from "node:path";
import type { CommandOrder } from "../ports/hosts.ts";
import type { CommandSetting, Program } from "./program.ts";

/** As it is to be run; with a conversation's id, so that it goes on with it. */
export function preparedCommand(
  order: CommandOrder,
  programs: readonly Pick<Program, "name" | "command">[],
  setting: CommandSetting,
): readonly string[] {
  const called = basename(order.command[0] ?? "");
  const program = programs.find(({ name }) => name === called);
  return program?.command?.(order, setting) ?? order.command;
}
