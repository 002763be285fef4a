/** What is known of a conversation. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Where OpenCode keeps the conversation; unknown if its owner has chosen another database. */
export function aboutConversation(sessionID) {
  const data = process.env.XDG_DATA_HOME || join(homedir(), ".local", "share");
  const database = join(data, "opencode", "opencode.db");
  const known = process.env.OPENCODE_DB === undefined && existsSync(database);
  return { session_id: sessionID, ...(known ? { transcript_path: `${database}#${sessionID}` } : {}) };
}

/** With the agent and the model of the last prompt: another agent of OpenCode may be allowed more. */
export function mannerOf(api, sessionID) {
  const last = api.state.session.messages(sessionID).findLast(({ role }) => role === "user");
  return last === undefined ? {} : { agent: last.agent, model: last.model };
}
