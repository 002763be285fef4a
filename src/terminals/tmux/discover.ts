import type { Instant } from "../../core/message.ts";
import type { Processes, ProcessIdentity } from "../../ports/processes.ts";
import type { Recognise } from "../../ports/profile.ts";
import type { Sighting } from "../../ports/terminal.ts";
import type { Block } from "./control/control.ts";
import { parseSessions, SESSION_FORMAT, type TmuxSession } from "./control/session-choice.ts";
import type { InPane, KnownPanes } from "./known-panes.ts";

export interface Pane {
  readonly id: string;
  readonly pid: number;
  readonly dead: boolean;
  readonly label: string;
  readonly title: string;
  /** When its window was last drawn in, to the second. */
  readonly drawnAt: Instant;
  /** Every session that shows this window, oldest first. */
  readonly sessions: readonly string[];
}

// Without the program's name, which would make the scan three to five times as slow. A title that nobody has set is
// the machine's name and says nothing about what runs there.
const PANE_FORMAT =
  "#{pane_id}/#{pane_pid}/#{pane_dead}/#{window_activity}/#{session_id}/#{window_index}/#{pane_index}/#{?#{==:#{pane_title},#{host}},,#{pane_title}}";
const ROW = /^(%\d+)\/(-?\d*)\/([01]?)\/(\d+)\/(\$\d+)\/(\d+)\/(\d+)\/(.*)$/;

/** Names are requested once per session and titles come last, so that no text can shift a field. */
export const SCAN_COMMANDS = `list-sessions -F "${SESSION_FORMAT}" ; list-panes -a -F "${PANE_FORMAT}"`;

export interface Layout {
  readonly sessions: readonly TmuxSession[];
  readonly panes: readonly Pane[];
}

/** Undefined if any row is not understood: a row we cannot read does not mean a missing pane. */
export function parseLayout(blocks: readonly Block[]): Layout | undefined {
  const [listed, rows] = blocks;
  if (blocks.length !== 2 || listed?.ok !== true || rows?.ok !== true) return undefined;
  const sessions = parseSessions(listed.lines);
  if (sessions === undefined) return undefined;
  const names = new Map(sessions.map((session) => [session.id, session.name]));
  const panes = new Map<string, Pane>();
  const parsed = rows.lines.map((row) => ROW.exec(row)).filter((parts) => parts !== null);
  if (parsed.length < rows.lines.length) return undefined;
  // A window can be shown in several sessions; it is labelled by the oldest.
  const ordered = parsed.toSorted((a, b) => sessionAge(a[5]) - sessionAge(b[5]));
  for (const [, id = "", pid = "", dead, drawn, session = "", window, index, title = ""] of ordered) {
    const name = names.get(session);
    if (name === undefined) return undefined;
    const label = `${name}:${window}.${index}`;
    const drawnAt = Number(drawn) * 1_000;
    const fresh: Pane = { id, pid: Number(pid), dead: dead === "1", label, title, drawnAt, sessions: [] };
    const pane = panes.get(id) ?? fresh;
    panes.set(id, { ...pane, sessions: [...pane.sessions, session] });
  }
  return { sessions, panes: [...panes.values()] };
}

function sessionAge(id: string | undefined): number {
  return Number((id ?? "").slice(1));
}

export interface FoundPane {
  readonly pane: Pane;
  readonly sighting: Sighting;
}

interface DiscoveryTools {
  readonly processes: Pick<Processes, "tree" | "workingFolder">;
  readonly recognise: Recognise;
}

/**
 * Walks the process tree of every pane in which something may have changed. Throws if the system cannot be asked: then
 * nothing is concluded.
 */
export async function findPrograms(
  layout: Layout,
  server: ProcessIdentity,
  socket: string,
  tools: DiscoveryTools,
  known: KnownPanes,
): Promise<readonly FoundPane[]> {
  const living = layout.panes.filter((pane) => !pane.dead && pane.pid > 0);
  known.keepOnly(living);
  const looked = await Promise.all(
    living.map(async (pane): Promise<readonly FoundPane[]> => {
      const { programs, asBefore } = await known.look(pane, () => programsIn(pane, tools));
      return programs.map(({ program, process, folder }) => ({
        pane,
        sighting: {
          identity: {
            kind: "tmux",
            server: socket,
            pane: pane.id,
            serverPid: server.pid,
            serverStartedAt: server.startedAt,
            panePid: pane.pid,
            agentPid: process.pid,
            agentStartedAt: process.startedAt,
          },
          program,
          label: pane.label,
          title: pane.title,
          folder,
          agentArgv: process.argv,
          drawnAt: pane.drawnAt,
          ...(asBefore ? { asBefore } : {}),
        },
      }));
    }),
  );
  return looked.flat();
}

async function programsIn(
  { pid }: Pane,
  { processes, recognise }: DiscoveryTools,
): Promise<readonly InPane[]> {
  const found = recognise(await processes.tree(pid));
  return Promise.all(
    found.map(async (one) => ({ ...one, folder: await processes.workingFolder(one.process.pid) })),
  );
}
