/** Starts a program in a tmux window as the window's own command, without a shell under it. */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { BellhopError } from "../../../core/errors.ts";
import { SESSION_VARIABLES, WINDOW_VARIABLES } from "../../../core/rights/child-environment.ts";
import type { WindowOrder } from "../../../ports/hosts.ts";
import { formatLiteral } from "../control/quote.ts";
import { runTmux, type TmuxProgram } from "../control/tmux-program.ts";
import { findWindow } from "./own-window.ts";

const DEADLINE_MS = 10_000;
/** The session that is created if there is none. */
const OWN_SESSION = "bellhop";
/** Keeps the window open until its own command replaces it. */
const PLACEHOLDER = ["sleep", "60"] as const;

export async function openWindow(
  program: TmuxProgram,
  socket: string,
  order: WindowOrder,
): Promise<{ readonly pane: string }> {
  const server = ["-u", "-S", socket];
  // tmux creates the folder of its default socket, but not one that it is given.
  await mkdir(dirname(socket), { mode: 0o700 }).catch(() => {});
  const tmux = (...words: readonly string[]) =>
    runTmux(program, [...server, ...words.map(ended)], DEADLINE_MS);
  const folder = formatLiteral(order.folder);
  const run = (pane: string) =>
    tmux("-N", "respawn-pane", "-k", "-t", pane, "-c", folder, "--", ...commandLine(order));
  const former = await findWindow(program, socket, order.sessionId);
  if (former?.state === "over" && (await run(former.pane)).kind === "done") return { pane: former.pane };
  const exists = await tmux("-N", "list-sessions", "-F", "#{session_id}");
  const where =
    exists.kind === "done" && exists.stdout.trim() !== ""
      ? ["new-window", "-d", ...(await behind(order.beside, tmux))]
      : ["new-session", "-d", "-s", OWN_SESSION, "-x", "120", "-y", "40"];
  const made = await tmux(
    ...where,
    ...["-P", "-F", "#{pane_id}", "-n", formatLiteral(order.agent), "-c", folder, "--", ...PLACEHOLDER],
  );
  const pane = made.kind === "done" ? made.stdout.trim() : "";
  if (!/^%\d+$/.test(pane)) throw notOpened(made);
  // Set before the program starts, so that its last output stays readable however soon it ends.
  const kept = await tmux("-N", "set-option", "-p", "-t", pane, "remain-on-exit", "on");
  const started = kept.kind === "done" ? await run(pane) : kept;
  if (started.kind === "done") return { pane };
  await tmux("-N", "kill-pane", "-t", pane);
  throw notOpened(started);
}

/** A word that ends in a semicolon would end the command, and the next word would start another. */
function ended(word: string): string {
  return word.endsWith(";") ? `${word.slice(0, -1)}\\;` : word;
}

/** Places it after that pane's window, or where tmux chooses if the pane is gone. */
async function behind(
  pane: string | undefined,
  tmux: (...words: readonly string[]) => ReturnType<typeof runTmux>,
): Promise<readonly string[]> {
  if (pane === undefined) return [];
  const window = await tmux("-N", "display-message", "-p", "-t", pane, "#{window_id}");
  return window.kind === "done" && /^@\d+$/.test(window.stdout.trim())
    ? ["-a", "-t", window.stdout.trim()]
    : [];
}

function notOpened(outcome: Awaited<ReturnType<typeof runTmux>>): BellhopError {
  const silent = outcome.kind === "late" ? "it does not answer" : "it names none";
  const why = outcome.kind === "failed" ? outcome.stderr.trim() : silent;
  return new BellhopError("tmux.command_failed", {
    message: `tmux did not open a window: ${why}.`,
    next: 'Check whether tmux works: "tmux new-window". Or leave out --tmux.',
  });
}

/** More than one word, so tmux runs it without a shell; `env` is replaced by the program it starts. */
function commandLine({ command, environment }: WindowOrder): readonly string[] {
  const kept = new Set(["TMUX", "TMUX_PANE"]);
  const unset = [...SESSION_VARIABLES, ...WINDOW_VARIABLES].filter(
    (name) => !kept.has(name) && !(name in environment),
  );
  const set = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return ["env", ...unset.flatMap((name) => ["-u", name]), ...set, ...command];
}
