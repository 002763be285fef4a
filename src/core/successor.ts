/**
 * As whom a program goes on that is started again where it ran before. Pure: who of them is gone, the office finds out.
 */
import type { Instant } from "./message.ts";
import type { Session } from "./session.ts";

/** The last session of an agent, with since when there is that agent. */
export interface Past {
  readonly agentSince: Instant;
  readonly session: Session;
}

/** What ended at about the same time ended together: an evening, a tmux server. */
const TOGETHER_MS = 60_000;

/** Of several the one that ended last; of those that ended together the one that was there first. */
export function goesOnAs<P extends Past>(pasts: readonly P[]): P | undefined {
  const last = Math.max(...pasts.map(endOf));
  return pasts
    .filter((past) => endOf(past) >= last - TOGETHER_MS)
    .toSorted((a, b) => a.agentSince - b.agentSince || (a.session.agent < b.session.agent ? -1 : 1))[0];
}

function endOf({ session: { exitedAt, lastActiveAt } }: Past): Instant {
  return exitedAt ?? lastActiveAt;
}

/** A mailbox that was only made by name has no program that could have ended. */
export function hasRun({
  identity,
  command,
  window,
}: Pick<Session, "identity" | "command" | "window">): boolean {
  return identity !== undefined || command !== undefined || window !== undefined;
}

/** Whether this starts what ran there: by the program, and where none is known by the command, word for word. */
export function startsTheSame(
  { command, program }: { readonly command: readonly string[]; readonly program: string | undefined },
  past: Session,
): boolean {
  if (program !== undefined && past.program === program) return true;
  const before = past.command ?? past.window?.command;
  return before?.length === command.length && before.every((word, index) => word === command[index]);
}

/** What is said of a session when another conversation goes on in it: nothing that was true of the one before. */
export function begunAnew<S extends Session>(past: S): S {
  const {
    version: _version,
    programSessionId: _conversation,
    transcriptPath: _transcript,
    lastPrompt: _prompt,
    branch: _branch,
    command: _command,
    window: _window,
    parent: _parent,
    owesFirstTurn: _owed,
    ...rest
  } = past;
  return { ...rest, hooked: false } as S;
}
