/** `bellhop ls --watch`: what runs and what needs attention. Redrawn in place in a window, otherwise line by line. */
import { PersonTerminal } from "../attach/person-terminal.ts";
import { followBoard } from "../client/follow.ts";
import { countsInWords } from "../core/attention.ts";
import { type BellhopError, EXIT } from "../core/errors.ts";
import { present } from "../core/present.ts";
import type { Overview } from "../wire/shapes/attention.ts";
import type { Board } from "../wire/shapes/board.ts";
import { windowOf } from "./arguments/window.ts";
import type { CommandContext } from "./context.ts";
import { printSessions } from "./printing/listed-sessions.ts";
import { clockTime } from "./printing/moments.ts";
import { Output } from "./printing/output.ts";
import { cut } from "./printing/table.ts";
import { printWants } from "./printing/wants.ts";

/** Receives the changes. */
interface Onto {
  show(overview: Overview): void;
  away(): void;
  close(): void;
}

export async function watchOverview(context: CommandContext): Promise<number> {
  const left = new AbortController();
  const leave = (): void => left.abort();
  context.interrupted().addEventListener("abort", leave);
  // Starts the daemon if needed; from here on it may go away and come back.
  await context.ask("status", {});
  (await context.reach()).close();
  let refused: BellhopError | undefined;
  const onto =
    !context.out.json && windowOf(context) === "whole" ? inWindow(context, leave) : inPipe(context);
  const following = followBoard(
    { socket: context.home().socket, claims: context.claims() },
    ["agents", "counts"],
    {
      hear: (board) => onto.show(overviewOf(board)),
      away: () => onto.away(),
      refused: (error) => {
        refused = error;
        leave();
      },
    },
    (ms) => context.pause(ms, left.signal),
  );
  if (!left.signal.aborted)
    await new Promise<void>((resolve) => left.signal.addEventListener("abort", () => resolve()));
  following.close();
  onto.close();
  if (refused !== undefined) throw refused;
  return EXIT.ok;
}

/** What `ls` shows, in the same order. */
function overviewOf({ agents = [], counts = { wants: {}, mail: 0 } }: Board): Overview {
  const running = agents
    .flatMap(({ sessions }) => sessions.filter(({ composer }) => composer !== undefined))
    .toSorted((a, b) => a.startedAt - b.startedAt);
  const sessions = running.map(
    ({ id, agent, label, program, terminal, readiness, queued, headline, hold, role, asks }) => ({
      ...{ id, agent, label, program, terminal, readiness, queued, headline },
      ...present({ hold, role, asks }),
    }),
  );
  return { sessions, ...counts };
}

/** Each change is complete: a script need not remember the previous one. */
function inPipe({ out, now }: CommandContext): Onto {
  let state: "there" | "away" = "there";
  return {
    show(overview) {
      state = "there";
      if (out.json) out.value(overview);
      else {
        out.line(`=== ${clockTime(now())}`);
        printSessions(out, overview.sessions);
        printWants(out, overview);
      }
    },
    away() {
      if (state === "there" && !out.json) out.note("the daemon has stopped; waiting for it to come back");
      state = "away";
    },
    close() {},
  };
}

function inWindow({ now }: CommandContext, leave: () => void): Onto {
  const terminal = new PersonTerminal(process.stdin, process.stdout);
  let shown: { readonly overview: Overview; readonly at: number } | undefined;
  let daemon: "there" | "away" = "there";
  const paint = (): void => {
    const { cols, rows } = terminal.size;
    const body = shown === undefined ? [] : drawn(shown.overview, cols);
    const foot = footOf(shown, daemon);
    const room = Math.max(1, rows - 1);
    const cutOff = body.length > room ? [`… ${body.length - room + 1} more lines`] : [];
    const lines = [...body.slice(0, room - cutOff.length), ...cutOff];
    const blank = Array.from({ length: room - lines.length }, () => "");
    const whole = [...lines, ...blank].map((line) => `${line}\x1b[0m\x1b[K\r\n`).join("");
    // One write, without wrapping: nothing flickers, nothing scrolls.
    terminal.write(
      `\x1b[?2026h\x1b[?25l\x1b[H${whole}\x1b[2m${cut(foot, cols)}\x1b[0m\x1b[K\x1b[J\x1b[?2026l`,
    );
  };
  terminal.enter({
    typed: (bytes) => {
      // C-c and C-d, as in any program that only shows; q as in a pager.
      if (bytes.some((byte) => byte === 0x03 || byte === 0x04 || byte === 0x71)) leave();
    },
    resized: paint,
    returned: paint,
    signalled: leave,
    hungUp: leave,
    failed: leave,
  });
  paint();
  return {
    show(overview) {
      daemon = "there";
      shown = { overview, at: now() };
      paint();
    },
    away() {
      daemon = "away";
      paint();
    },
    close: () => terminal.leave(),
  };
}

function footOf(
  shown: { readonly overview: Overview; readonly at: number } | undefined,
  daemon: "there" | "away",
): string {
  const state = daemon === "away" ? "the daemon has stopped; waiting for it to come back" : "";
  const counted = shown === undefined ? "" : countsInWords(shown.overview.wants);
  const last = shown === undefined ? "" : `last change ${clockTime(shown.at)}`;
  return [state, counted === "" ? "" : `wants you: ${counted}`, last, "q ends"]
    .filter((part) => part !== "")
    .join(" · ");
}

/** As lines no wider than the window. */
function drawn(overview: Overview, columns: number): readonly string[] {
  const lines: string[] = [];
  const sink = {
    write: (text: string) => void lines.push(...text.split("\n").slice(0, -1)),
    drained: async () => {},
    isTerminal: true,
    columns,
  };
  const out = new Output({ stdout: sink, stderr: sink, colours: () => "on", json: false });
  printSessions(out, overview.sessions);
  out.line("");
  printWants(out, overview);
  return lines.map((line) => (line.includes("\x1b") ? line : cut(line, columns)));
}
