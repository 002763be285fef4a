import type { Processes } from "../../ports/processes.ts";
import type { OpenLink } from "./control/server-link.ts";

/** Marks which home these clients belong to, so that a later daemon of that home can recognise them. */
export interface ClientOwner {
  readonly mark: string;
  readonly pid: number;
}

export const OWNER_VARIABLE = "BELLHOP_TMUX_OWNER";
const DEADLINE_MS = 5_000;

/**
 * tmux 3.3a may keep a control client whose reader was killed: the client waits to write output that nobody will
 * read, and keeps its server from ending. Only clients that tmux lists as attached are ended: killing one that is
 * still attaching can crash the whole server.
 */
export async function endLeftovers(
  link: OpenLink,
  owner: ClientOwner,
  processes: Pick<Processes, "environment" | "tree">,
): Promise<readonly number[]> {
  const listed = await link.run(
    'list-clients -F "#{client_pid}/#{client_control_mode}/#{session_id}"',
    DEADLINE_MS,
  );
  if (listed.kind !== "answered") return [];
  const attached = listed.blocks
    .flatMap(({ lines }) => lines)
    .flatMap((line) => /^(\d+)\/1\/\$\d+$/.exec(line)?.[1] ?? [])
    .map(Number);
  const ended: number[] = [];
  for (const pid of attached) {
    if (!(await isLeftover(pid, owner, processes).catch(() => false))) continue;
    if (kill(pid)) ended.push(pid);
  }
  return ended;
}

/** False if it ended on its own meanwhile, or cannot be ended: neither keeps us from starting. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}

async function isLeftover(
  pid: number,
  owner: ClientOwner,
  processes: Pick<Processes, "environment" | "tree">,
): Promise<boolean> {
  const { [OWNER_VARIABLE]: mark } = await processes.environment(pid, [OWNER_VARIABLE]);
  const [client] = await processes.tree(pid);
  return mark === owner.mark && client !== undefined && client.parentPid !== owner.pid;
}
