/** Which of an agent's sessions a word means. */
import type { AgentName } from "../../core/message.ts";
import { MAIN } from "../../core/session.ts";
import type { StoredSession, StoreReader } from "../../ports/store.ts";
import type { Directory } from "./directory.ts";

/** By the name it was made by, its id, or `main`: the one whose program runs, else the one that ended last. */
export function findSession(
  read: StoreReader,
  directory: Directory,
  agent: AgentName,
  text: string,
): StoredSession | undefined {
  const named = read.sessionByName(agent, text);
  if (named !== undefined) return named;
  const byId = read.session(text);
  if (byId?.agent === agent) return byId;
  if (text !== MAIN) return undefined;
  const all = read.sessionsOf(agent).filter(({ main }) => main);
  return all.find(({ id }) => directory.get(id) !== undefined) ?? all.at(-1);
}
