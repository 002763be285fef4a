/**
 * Programs that Bellhop started in a tmux window: open, stop, open again in the same place. The sessions call it; the
 * registrar finds what runs there like any other program. It never types.
 */
import { BellhopError } from "../../core/errors.ts";
import { present } from "../../core/present.ts";
import type { CommandOrder, Hosts } from "../../ports/hosts.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { RunResponse } from "../../wire/shapes/sessions.ts";
import type { RunRequest } from "../../wire/verbs/sessions.ts";
import type { Registrar } from "../arrivals/registrar.ts";
import { pause } from "../base/deadline.ts";
import type { Ground } from "../presence/ground.ts";

/** A program in a new window takes a moment to become recognisable. */
const WINDOW_LOOKS = 12;
const LOOK_AGAIN_MS = 250;
const UNSEEN_IN_TMUX =
  "Bellhop does not see it there, because it does not know this program. docs/configuration.md says how to teach it; without --tmux Bellhop can host any program.";

export interface WindowsParts extends Ground {
  readonly registrar: Registrar;
  readonly hosts: Hosts;
  /** The command as it is run: with hooks for only this session, if the program supports that. */
  prepare(order: CommandOrder): Promise<readonly string[]>;
}

export interface WindowRequest {
  readonly session: StoredSession;
  /** Only our own variables; the tmux server provides the rest. */
  readonly variables: Readonly<Record<string, string>>;
  readonly environment: RunRequest["environment"];
  /** The caller's pane: a new window opens after theirs. */
  readonly beside?: string;
  /** The program's own id of the conversation to resume. */
  readonly resume?: string;
}

export class Windows {
  readonly #parts: WindowsParts;

  constructor(parts: WindowsParts) {
    this.#parts = parts;
  }

  /** In the window where it ran before, if that still exists. */
  async open({ session, variables, environment, beside, resume }: WindowRequest): Promise<RunResponse> {
    const { hosts, registrar, prepare, directory, context } = this.#parts;
    const { id, agent, folder = "/" } = session;
    const { command, server: wanted } = windowOf(session);
    const { PATH } = environment;
    const { server, pane } = await hosts.openWindow({
      sessionId: id,
      agent,
      command: await prepare({ command, folder, ...present({ resume }) }),
      folder,
      environment: { ...variables, ...present({ PATH }) },
      ...present({ server: wanted, beside }),
    });
    const answer: RunResponse = { sessionId: id, agent, terminal: { kind: "tmux", server, pane } };
    for (let look = 0; look < WINDOW_LOOKS; look += 1) {
      await registrar.scan();
      if (directory.get(id) !== undefined) return answer;
      await pause(context.clock, LOOK_AGAIN_MS);
    }
    return { ...answer, note: UNSEEN_IN_TMUX };
  }

  stop(session: StoredSession, graceMs: number): ReturnType<Hosts["stopWindow"]> {
    const { server } = windowOf(session);
    return this.#parts.hosts.stopWindow({ sessionId: session.id, ...present({ server }) }, graceMs);
  }
}

function windowOf({ agent, window }: StoredSession): NonNullable<StoredSession["window"]> {
  if (window !== undefined) return window;
  throw new BellhopError("terminal.not_hosted", {
    message: `"${agent}" was not started by Bellhop in tmux.`,
    next: `Start it with "bellhop run --tmux --name ${agent} -- PROGRAM".`,
  });
}
