import type { ControlSetting } from "./control.ts";
import { quote } from "./quote.ts";
import { runTmux, serverArguments } from "./tmux-program.ts";

type HeldServer = Pick<ControlSetting, "program" | "socket" | "nonce">;

/** Doubling, so that a slow attach is covered (five seconds in all) and a fast one is not waited for. */
const WAITS_SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56] as const;
/** Another daemon may be holding them: then ours begins when theirs ends. */
const MOST_QUESTIONS = 20;
const DEADLINE_MS = 5_000;
const FIRST_PAUSE_SECONDS = 0.01;
const NEXT_PAUSE_SECONDS = 0.05;

/**
 * Runs an attach while tmux notifies nobody.
 *
 * tmux before 3.7 crashes, with everything that runs in it, when it notifies its control clients while one of them is
 * half way through introducing itself: the first message makes it a control client, the last one makes what notices
 * are written to. Notices wait in one queue, in which hooks run too, so a hook that waits holds all of them back. Ours
 * hangs on a title that is set to what it is. It takes itself away, and ends by itself should we be killed.
 */
export async function withNoticesHeld<T>(
  server: HeldServer,
  session: string,
  attach: () => Promise<T>,
): Promise<T> {
  const hold = holdOf(server.nonce());
  const run = async (argv: readonly string[]): Promise<string> => {
    const whole = [...serverArguments(server.socket), ...argv];
    const outcome = await runTmux(server.program, whole, DEADLINE_MS);
    return outcome.kind === "done" ? outcome.stdout.trim() : "";
  };
  let state = await run(hold.begin(session));
  // Where a pane has such a hook of its own, ours never runs: a quiet moment must do there.
  for (let asked = 1; state === ASKED && asked < MOST_QUESTIONS; asked += 1)
    state = await run(hold.ask(NEXT_PAUSE_SECONDS));
  try {
    return await attach();
  } finally {
    await run(hold.end);
  }
}

const ASKED = "asked";
/** Not in 3.7, which is cured, and which writes a backslash in a title twice when the title is set to what it is. */
const IS_AFFECTED = "#{m/r:^(next-)?3[.][2-6],#{version}}";

interface Hold {
  begin(session: string): readonly string[];
  ask(afterSeconds: number): readonly string[];
  readonly end: readonly string[];
}

/** Named by number, for several daemons may hold the notices of one server. */
export function holdOf(nonce: string): Hold {
  const number = Number.parseInt(nonce.slice(0, 7), 16);
  const flag = `@bellhop-attach-${number}`;
  const hook = `pane-title-changed[${number}]`;
  const waits = WAITS_SECONDS.map((seconds) => `if-shell -F "#{${flag}}" "run-shell -d ${seconds}"`);
  const whenHeld = [`set-hook -gu ${hook}`, `set-option -s ${flag} held`, ...waits, `set-option -su ${flag}`];
  const ask: Hold["ask"] = (afterSeconds) => [
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
      return ["if-shell", "-F", IS_AFFECTED, commands.join(" ; "), ";", ...ask(FIRST_PAUSE_SECONDS)];
    },
    ask,
    end: ["set-option", "-suq", flag, ";", "set-hook", "-gu", hook],
  };
}
