/** Starts a program in a window of tmux, as the window's own command: there is no shell under it. */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { SESSION_VARIABLES } from "../../core/child-environment.ts";
import { BellhopError } from "../../core/errors.ts";
import type { WindowOrder } from "../../ports/hosts.ts";
import { formatLiteral } from "./quote.ts";
import { runTmux, type TmuxProgram } from "./tmux-program.ts";

const DEADLINE_MS = 10_000;
/** Where there is no session yet. */
const OWN_SESSION = "bellhop";

export async function openWindow(
  program: TmuxProgram,
  socket: string,
  order: WindowOrder,
): Promise<{ readonly pane: string }> {
  const server = ["-u", "-S", socket];
  // tmux makes the folder of its default socket by itself, and no folder that it is told.
  await mkdir(dirname(socket), { mode: 0o700 }).catch(() => {});
  const exists = await runTmux(program, [...server, "-N", "list-sessions", "-F", "#{session_id}"], {
    deadlineMs: DEADLINE_MS,
  });
  const where =
    exists.kind === "done" && exists.stdout.trim() !== ""
      ? ["new-window", "-d"]
      : ["new-session", "-d", "-s", OWN_SESSION, "-x", "120", "-y", "40"];
  const made = await runTmux(
    program,
    [
      ...server,
      ...where,
      "-P",
      "-F",
      "#{pane_id}",
      "-n",
      formatLiteral(order.agent),
      "-c",
      formatLiteral(order.folder),
      "--",
      ...commandLine(order),
    ],
    { deadlineMs: DEADLINE_MS },
  );
  const pane = made.kind === "done" ? made.stdout.trim() : "";
  if (!/^%\d+$/.test(pane)) {
    throw new BellhopError("tmux.command_failed", {
      message: `tmux did not open a window: ${made.kind === "failed" ? made.stderr : made.kind === "late" ? "it does not answer" : "it names none"}.`,
      next: 'Look whether tmux works: "tmux new-window". Or leave out --tmux.',
    });
  }
  // What it showed last stays to be read when it has ended.
  await runTmux(program, [...server, "-N", "set-option", "-p", "-t", pane, "remain-on-exit", "on"], {
    deadlineMs: DEADLINE_MS,
  });
  return { pane };
}

/** More than one word, so tmux runs it without a shell; `env` is replaced by the program it starts. */
function commandLine({ command, environment }: WindowOrder): readonly string[] {
  const kept = new Set(["TMUX", "TMUX_PANE"]);
  const unset = SESSION_VARIABLES.filter((name) => !kept.has(name) && !(name in environment));
  const set = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return ["env", ...unset.flatMap((name) => ["-u", name]), ...set, ...command];
}
