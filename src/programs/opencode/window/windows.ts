/** Finds the socket of our plugin by the process of its window, and asks it what the window shows. */
import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { present } from "../../../core/present.ts";
import { conversationId } from "../../../core/session.ts";
import type { Processes } from "../../../ports/processes.ts";
import type { ProgramNote } from "../../../ports/program.ts";
import type { ProcessFiles } from "../../process-files.ts";
import type { Fields } from "../../transcripts/line.ts";
import { askWindow } from "./link.ts";

export interface OpencodeWindowsSetting {
  readonly processes: Pick<Processes, "tree">;
  readonly files: Pick<ProcessFiles, "openFiles">;
  /** Bellhop's. */
  readonly home: string;
}

export interface OpencodeState {
  readonly version?: string;
  /** The conversation that it shows; none on its start page. */
  readonly conversation?: string;
  readonly transcriptPath?: string;
  readonly note?: ProgramNote;
  /** Why it takes no message now. */
  readonly closed?: string;
}

const ANSWER_MS = 2_000;

export class OpencodeWindows {
  readonly #setting: OpencodeWindowsSetting;

  constructor(setting: OpencodeWindowsSetting) {
    this.#setting = setting;
  }

  /**
   * Undefined without our plugin. What people write goes into this socket, so it must be ours, and the process of this
   * window must be the one that listens on it; behind a wrapper that is a child.
   */
  async socketOf(agentPid: number): Promise<string | undefined> {
    const { processes, files, home } = this.#setting;
    const folder = join(home, "run");
    // OpenCode loads the plugin from where its links lead, so that is where the plugin listens.
    const folders = [folder, await realpath(folder).catch(() => folder)];
    for (const { pid } of await processes.tree(agentPid)) {
      const paths = folders.map((one) => join(one, `oc-${pid}`));
      const path = paths[0] ?? "";
      const stats = await lstat(path).catch(() => undefined);
      if (stats?.isSocket() !== true || stats.uid !== process.getuid?.()) continue;
      const { listeningSockets } = await files.openFiles(pid);
      if (paths.some((one) => listeningSockets.includes(one))) return path;
    }
    return undefined;
  }

  async state(agentPid: number): Promise<(OpencodeState & { readonly socket: string }) | undefined> {
    const socket = await this.socketOf(agentPid);
    if (socket === undefined) return undefined;
    return { socket, ...stateIn(await askWindow(socket, {}, AbortSignal.timeout(ANSWER_MS))) };
  }
}

function stateIn(answer: Fields): OpencodeState {
  const text = (name: string) => {
    const value = answer[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  return present({
    version: text("version"),
    conversation: conversationId(text("session_id")),
    transcriptPath: text("transcript_path"),
    note: noteIn(answer),
    closed: text("closed"),
  });
}

function noteIn({ is, since }: Fields): ProgramNote | undefined {
  const isKnown = is === "idle" || is === "busy" || is === "waiting";
  return isKnown && typeof since === "number" ? { is, at: since } : undefined;
}
