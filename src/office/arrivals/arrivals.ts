/**
 * Who arrives, and what is recorded of it. The registrar calls it for every program it has not met. A session is
 * continued on proof: the same process, what its host or environment says, or its conversation. Without proof, a person
 * who starts the same program again in the same folder continues the same agent, if it has ended.
 */
import { assertNever } from "../../core/errors.ts";
import type { SessionId } from "../../core/message.ts";
import { CONVERSATION_VARIABLES } from "../../core/rights/agent-programs.ts";
import { begunAnew } from "../../core/successor.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { Sighting } from "../../ports/terminal.ts";
import type { Ground } from "../presence/ground.ts";
import type { AgentNames } from "./agent-names.ts";
import {
  type Arrival,
  nameAfterFolder,
  newRecord,
  resumedRecord,
  resumes,
  revived,
  sameProcess,
} from "./session-identity.ts";
import type { Successors } from "./successors.ts";

const OWN_SESSION = "BELLHOP_SESSION_ID";

export interface ArrivalsParts extends Ground {
  readonly names: AgentNames;
  readonly successors: Successors;
}

/** The variables that tell who started a program. If they cannot be read, its starter is unknown. */
type Environment = Readonly<Record<string, string>> | "unreadable";

/** Who started it: a person, as far as can be told, or something that an agent runs. */
type Starter = "person" | "agent";

export class Arrivals {
  readonly #parts: ArrivalsParts;
  /** Sessions continued without proof, with their records from before. */
  readonly #wentOn = new Map<SessionId, StoredSession>();

  constructor(parts: ArrivalsParts) {
    this.#parts = parts;
  }

  /** Calls `enter` with the record; until it is done, no other program can become the same session. */
  async settle<T>(
    sighting: Sighting,
    programSessionId: string | undefined,
    enter: (record: StoredSession) => Promise<T>,
  ): Promise<T> {
    const { context, successors } = this.#parts;
    const environment = await this.#environment(sighting);
    const told = environment === "unreadable" ? undefined : environment[OWN_SESSION];
    const arrival = await this.#whoArrives(sighting, told, programSessionId);
    switch (arrival.kind) {
      case "same":
        return enter(revived(arrival.session, sighting));
      case "resumed":
        return enter(resumedRecord(arrival.session, sighting, context.clock.now()));
      case "new": {
        const starter = starterOf(environment);
        const { folder } = sighting;
        if (starter === "agent" || folder === undefined)
          return enter(await this.#stranger(sighting, starter));
        const isSame = ({ program }: StoredSession): boolean => program === sighting.program;
        return successors.goingOn({ folder, isSame }, async (past) =>
          enter(past === undefined ? await this.#stranger(sighting, starter) : this.#goingOn(past, sighting)),
        );
      }
      default:
        return assertNever(arrival);
    }
  }

  /** The record from before it was continued without proof; undefined: it was not, or it has been proven since. */
  before(id: SessionId): StoredSession | undefined {
    return this.#wentOn.get(id);
  }

  #goingOn(past: StoredSession, sighting: Sighting): StoredSession {
    const { clock, log } = this.#parts.context;
    const now = clock.now();
    this.#wentOn.set(past.id, { ...past, exitedAt: past.exitedAt ?? now });
    log.info("session.went_on", { session: past.id, agent: past.agent, program: past.program });
    return { ...begunAnew(revived(past, sighting)), startedAt: now, lastActiveAt: now };
  }

  async #stranger(sighting: Sighting, starter: Starter): Promise<StoredSession> {
    const { context, names } = this.#parts;
    const agent = await names.make(nameAfterFolder(sighting.folder), starter);
    const { kind, pane } = sighting.identity;
    const id = kind === "pty" ? pane : context.ids.session();
    return newRecord(sighting, { id, agent, now: context.clock.now() });
  }

  /** A host was started for one session and names it; its program may end before it can be asked. */
  async #environment({ identity }: Sighting): Promise<Environment> {
    if (identity.kind === "pty") return { [OWN_SESSION]: identity.pane };
    const { agentPid, agentStartedAt } = identity;
    const { processes } = this.#parts.context;
    try {
      const found = await processes.environment(agentPid, [OWN_SESSION, ...CONVERSATION_VARIABLES]);
      // The system shows nothing of a process that has just ended, which does not mean that these variables were unset.
      return (await processes.alive(agentPid, agentStartedAt)) === "gone" ? "unreadable" : found;
    } catch {
      return "unreadable";
    }
  }

  async #whoArrives(
    sighting: Sighting,
    told: string | undefined,
    programSessionId: string | undefined,
  ): Promise<Arrival> {
    const { context, directory } = this.#parts;
    const { read } = context.store;
    const same = sameProcess(sighting, read.sessionsOfProcess(sighting.identity.agentPid));
    if (same !== undefined) return { kind: "same", session: same };
    return resumes(
      [
        told === undefined ? undefined : read.session(told),
        programSessionId === undefined
          ? undefined
          : read.sessionByProgramId(sighting.program, programSessionId),
      ],
      (id) => directory.get(id) !== undefined,
    );
  }
}

/** If unknown, assume an agent: continuing an ended session also gives its mail and its rights. */
function starterOf(environment: Environment): Starter {
  if (environment === "unreadable") return "agent";
  return Object.values(environment).some((value) => value !== "") ? "agent" : "person";
}
