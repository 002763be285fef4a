/** Claude Code keeps one file per running session: `<config>/sessions/<pid>.json`, and a key next to it. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { present } from "../../core/present.ts";
import { conversationId } from "../../core/session.ts";
import type { Processes } from "../../ports/processes.ts";
import type { RegistryEntry } from "../../ports/program.ts";
import { ownFolder, readFields } from "../own-folder.ts";
import type { RunningProgram } from "../program.ts";
import type { Fields } from "../transcripts/line.ts";
import { CLAUDE_FOLDER, editsWithVim } from "./editing.ts";

const LONGEST_FILE = 64 * 1024;
/** The only protocol version that Bellhop can write. */
const PEER_PROTOCOL = 1;

export async function lookUpClaude(
  processes: Pick<Processes, "environment">,
  agent: RunningProgram,
): Promise<RegistryEntry | undefined> {
  const config = await ownFolder(processes, agent.pid, CLAUDE_FOLDER);
  if (config === undefined) return undefined;
  const sessions = join(config.path, "sessions");
  const session = await readFields(join(sessions, `${agent.pid}.json`), LONGEST_FILE);
  // A file left by a killed process may name a pid that another process has by now.
  if (session?.pid !== agent.pid || !isSameProcess(session.procStart, agent.startedAt)) return undefined;
  const programSessionId = conversationId(text(session.sessionId));
  const version = text(session.version);
  const inboxPath = session.peerProtocol === PEER_PROTOCOL ? text(session.messagingSocketPath) : undefined;
  const inboxToken = inboxPath === undefined ? undefined : await readToken(sessions, agent, inboxPath);
  const path = transcriptOf(config.path, session);
  const status = statusOf(session);
  return {
    ...present({ programSessionId, version, transcriptPath: path, inboxPath, inboxToken, status }),
    editing: (await editsWithVim(config)) ? "vim" : "plain",
  };
}

/** Only if the file exists: a hook may know better, and a guessed path must not replace its answer. */
function transcriptOf(config: string, session: Fields): string | undefined {
  const folder = text(session.cwd);
  const sessionId = conversationId(text(session.sessionId));
  if (folder === undefined || sessionId === undefined) return undefined;
  const path = transcriptPath(config, folder, sessionId);
  return existsSync(path) ? path : undefined;
}

/** Claude names the folder after the path, with every UTF-16 unit except letters and digits replaced by `-`. */
function transcriptPath(config: string, folder: string, sessionId: string): string {
  return join(config, "projects", folder.replace(/[^A-Za-z0-9]/g, "-"), `${sessionId}.jsonl`);
}

/** Our value begins with the boot id; Claude writes only the clock ticks. On other systems they cannot be compared. */
function isSameProcess(procStart: unknown, startedAt: string): boolean {
  const ticks = /^[^:]+:(\d+)$/.exec(startedAt)?.[1];
  return ticks === undefined || procStart === undefined || String(procStart) === ticks;
}

const STATES: ReadonlyMap<unknown, "idle" | "busy" | "waiting"> = new Map([
  ["idle", "idle"],
  // At its prompt, with a command running in the background.
  ["shell", "idle"],
  ["busy", "busy"],
  ["waiting", "waiting"],
]);

/** 2.1.150 has one time for the whole note. It changes with the state, and on a rename, when the state stays true. */
function statusOf(session: Fields): RegistryEntry["status"] {
  const is = STATES.get(session.status);
  const at = session.statusUpdatedAt ?? session.updatedAt;
  return is === undefined || typeof at !== "number" ? undefined : { is, at };
}

async function readToken(
  sessions: string,
  agent: RunningProgram,
  inbox: string,
): Promise<string | undefined> {
  const name = `${agent.pid}.${createHash("sha256").update(inbox).digest("hex")}.key`;
  const key = await readFields(join(sessions, name), LONGEST_FILE);
  return key !== undefined && isSameProcess(key.procStart, agent.startedAt) ? text(key.peerToken) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
