import type { Processes, ProcessIdentity } from "../../ports/processes.ts";
import type { Recognise } from "../../ports/profile.ts";
import type { Sighting } from "../../ports/terminal.ts";
import type { Block } from "./control/control.ts";
import { parseSessions, SESSION_FORMAT, type TmuxSession } from "./control/session-choice.ts";
import type { InPane, KnownPanes, Pane, PaneLook } from "./known-panes.ts";

// Without the program's name, which would make the scan three to five times as slow.
const PANE_FORMAT =
  "#{pane_id}/#{pane_pid}/#{pane_dead}/#{window_activity}/#{session_id}/#{window_index}/#{pane_index}/#{pane_title}";
const ROW = /^(%\d+)\/(-?\d*)\/([01]?)\/(\d+)\/(\$\d+)\/(\d+)\/(\d+)\/(.*)$/;

/**
 * Names are requested once per session and titles come last, so that no text can shift a field. The machine's name is
 * asked for once: to compare it with each title would take tmux a quarter of the scan.
 */
export const SCAN_COMMANDS = `list-sessions -F "${SESSION_FORMAT}" ; list-panes -a -F "${PANE_FORMAT}" ; display-message -p "#{host}"`;

export interface Layout {
  readonly sessions: readonly TmuxSession[];
  readonly panes: readonly Pane[];
}

/** Most scans find what the last one found: then its layout is still the answer, and nothing is parsed. */
export class LastLayout {
  #blocks: readonly Block[] = [];
  #layout: Layout | undefined;

  read(blocks: readonly Block[]): Layout | undefined {
    if (this.#layout === undefined || !sameBlocks(blocks, this.#blocks)) this.#layout = parseLayout(blocks);
    this.#blocks = blocks;
    return this.#layout;
  }
}

function sameBlocks(some: readonly Block[], others: readonly Block[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ ok, lines }, index) => {
      const other = others[index];
      return (
        ok === other?.ok &&
        lines.length === other.lines.length &&
        lines.every((line, at) => line === other.lines[at])
      );
    })
  );
}

/** Undefined if any row is not understood: a row we cannot read does not mean a missing pane. */
export function parseLayout(blocks: readonly Block[]): Layout | undefined {
  const [listed, rows, machine] = blocks;
  if (blocks.length !== 3 || listed?.ok !== true || rows?.ok !== true || machine?.ok !== true)
    return undefined;
  const [host] = machine.lines;
  const sessions = parseSessions(listed.lines);
  if (sessions === undefined) return undefined;
  const names = new Map(sessions.map((session) => [session.id, session.name]));
  const panes = new Map<string, Pane>();
  const parsed = rows.lines.map((row) => ROW.exec(row)).filter((parts) => parts !== null);
  if (parsed.length < rows.lines.length) return undefined;
  // A window can be shown in several sessions; it is labelled by the oldest.
  const ordered = parsed.toSorted((a, b) => sessionAge(a[5]) - sessionAge(b[5]));
  for (const [, id = "", pid = "", dead, drawn, session = "", window, index, titled = ""] of ordered) {
    const name = names.get(session);
    if (name === undefined) return undefined;
    const label = `${name}:${window}.${index}`;
    const drawnAt = Number(drawn) * 1_000;
    // Nobody has set it, and it says nothing about what runs there.
    const title = titled === host ? "" : titled;
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
  const standing = living.map((pane) => known.standing(pane));
  // With hundreds of panes in which nothing happens, a promise for each would be most of the work.
  const looks = standing.every((look) => look !== undefined)
    ? standing
    : await Promise.all(
        living.map((pane, index) => standing[index] ?? known.look(pane, () => programsIn(pane, tools))),
      );
  return looks.flatMap((look) => {
    const found = sightings.get(look) ?? sightingsOf(look, server, socket);
    sightings.set(look, found);
    return found;
  });
}

/** A pane that stands has the sightings it had. What is known of a pane is known of one server only. */
const sightings = new WeakMap<PaneLook, readonly FoundPane[]>();

function sightingsOf(
  { pane, programs, asBefore }: PaneLook,
  server: ProcessIdentity,
  socket: string,
): readonly FoundPane[] {
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
