import type { ControlSetting } from "./control.ts";
import { quote } from "./quote.ts";
import { runTmux, serverArguments } from "./tmux-program.ts";

type HeldServer = Pick<ControlSetting, "program" | "socket" | "nonce">;

/** Doubling waits cover a slow attach (five seconds in all) without delaying a fast one. */
const WAITS_SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56] as const;
/** Another daemon may hold the notices: then ours holds them when the other is done. */
const MOST_QUESTIONS = 20;
const DEADLINE_MS = 5_000;
const FIRST_PAUSE_SECONDS = 0.01;
const NEXT_PAUSE_SECONDS = 0.05;

/**
 * Runs an attach while tmux sends no notices.
 *
 * tmux before 3.7 crashes, with everything that runs in it, if it notifies its control clients while one of them is
 * half attached: its first message makes it a control client, its last creates the buffer that notices are written to.
 * Notices wait in one queue, in which hooks run too, so a hook that waits holds all of them back. Ours is triggered by
 * setting a title to its current value. It removes itself, and ends on its own if we are killed; one that never ran
 * stays until a title changes.
 */
export async function withNoticesHeld<T>(
  server: HeldServer,
  session: string,
  attach: () => Promise<T>,
): Promise<T> {
  const commands = noticeCommands(server.nonce());
  const run = async (argv: readonly string[]): Promise<string> => {
    const whole = [...serverArguments(server.socket), ...argv];
    const outcome = await runTmux(server.program, whole, DEADLINE_MS);
    return outcome.kind === "done" ? outcome.stdout.trim() : "";
  };
  let state = await run(commands.begin(session));
  // If a pane has its own hook of this kind, ours never runs: there we rely on a quiet moment.
  for (let asked = 1; state === ASKED && asked < MOST_QUESTIONS; asked += 1)
    state = await run(commands.ask(NEXT_PAUSE_SECONDS));
  try {
    return await attach();
  } finally {
    // Each of its commands redraws every client.
    if (state !== CURED) await run(commands.end);
  }
}

const ASKED = "asked";
const CURED = "cured";
/** Not 3.7, where this is fixed and where setting a title to its current value doubles its backslashes. */
const IS_AFFECTED = "#{m/r:^(next-)?3[.][2-6],#{version}}";

interface NoticeCommands {
  begin(session: string): readonly string[];
  ask(afterSeconds: number): readonly string[];
  readonly end: readonly string[];
}

/** Numbered, because several daemons may hold the notices of one server. */
export function noticeCommands(nonce: string): NoticeCommands {
  const number = Number.parseInt(nonce.slice(0, 7), 16);
  const flag = `@bellhop-attach-${number}`;
  const hook = `pane-title-changed[${number}]`;
  const waits = WAITS_SECONDS.map((seconds) => `if-shell -F "#{${flag}}" "run-shell -d ${seconds}"`);
  // Behind a slow hook of the person's, ours may run when the attach is over: then it holds nothing.
  const held = `if-shell -F "#{${flag}}" "set-option -s ${flag} held"`;
  const whenHeld = [`set-hook -gu ${hook}`, held, ...waits, `set-option -suq ${flag}`];
  const ask: NoticeCommands["ask"] = (afterSeconds) => [
    ...["run-shell", "-d", String(afterSeconds), ";"],
    ...["display-message", "-p", `#{${flag}}`],
  ];
  return {
    begin: (session) => {
      const commands = [
        `set-option -s ${flag} ${ASKED}`,
        `set-hook -g ${hook} ${quote(whenHeld.join(" ; "))}`,
        `select-pane -t ${quote(`${session}:`)} -T "#{pane_title}"`,
      ];
      const begin = ["if-shell", "-F", IS_AFFECTED, commands.join(" ; "), `display-message -p ${CURED}`];
      return [...begin, ";", ...ask(FIRST_PAUSE_SECONDS)];
    },
    ask,
    end: ["set-option", "-suq", flag, ";", "set-hook", "-gu", hook],
  };
}
