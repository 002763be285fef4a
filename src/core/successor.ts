/** Which session a program continues when it is started again where it ran. Pure: the office knows which have ended. */
import type { Instant } from "./message.ts";
import type { Session } from "./session.ts";

/** The last session of an agent, and when the agent was created. */
export interface Past {
  readonly agentSince: Instant;
  readonly session: Session;
}

/** Sessions that ended within this time ended together: at the end of a day, or with a tmux server. */
const TOGETHER_MS = 60_000;

/** The one that ended last; of those that ended together, the one of the oldest agent. */
export function goesOnAs<P extends Past>(pasts: readonly P[]): P | undefined {
  const last = Math.max(...pasts.map(endOf));
  return pasts
    .filter((past) => endOf(past) >= last - TOGETHER_MS)
    .toSorted((a, b) => a.agentSince - b.agentSince || (a.session.agent < b.session.agent ? -1 : 1))[0];
}

function endOf({ session: { exitedAt, lastActiveAt } }: Past): Instant {
  return exitedAt ?? lastActiveAt;
}

/** A mailbox that was only created by name has no program that could have ended. */
export function hasRun({
  identity,
  command,
  window,
}: Pick<Session, "identity" | "command" | "window">): boolean {
  return identity !== undefined || command !== undefined || window !== undefined;
}

/** Whether this starts what ran there: by program, or if that is unknown, by exactly the same command. */
export function startsTheSame(
  { command, program }: { readonly command: readonly string[]; readonly program: string | undefined },
  past: Session,
): boolean {
  if (program !== undefined && past.program === program) return true;
  const before = past.command ?? past.window?.command;
  return before?.length === command.length && before.every((word, index) => word === command[index]);
}

/** The session's record for a new conversation, without what was true only of the previous one. */
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
