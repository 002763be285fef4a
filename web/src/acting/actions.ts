/** What can be done with an agent, and what the daemon is asked for it. Pure. */
import type { BoardAgent, BoardSession } from "../../../src/wire/shapes/board.ts";
import { type Asked, segment } from "../connection/requests.ts";

export type ActionName =
  | "pause"
  | "unpause"
  | "rename"
  | "stop"
  | "restart"
  | "resume"
  | "start"
  | "start-resumed";

/** `sure`: asks first, because a program ends. `name`: needs one. */
export interface Action {
  readonly name: ActionName;
  readonly needs: "nothing" | "sure" | "name";
}

const NEEDS: Readonly<Record<ActionName, Action["needs"]>> = {
  pause: "nothing",
  unpause: "nothing",
  rename: "name",
  stop: "sure",
  restart: "sure",
  resume: "sure",
  start: "nothing",
  "start-resumed": "nothing",
};

/** Bellhop starts and ends only what it has started itself. */
export function actionsFor(agent: BoardAgent, session: BoardSession | undefined): readonly Action[] {
  return namesFor(agent, session).map((name) => ({ name, needs: NEEDS[name] }));
}

function namesFor({ paused }: BoardAgent, session: BoardSession | undefined): readonly ActionName[] {
  const pausing: ActionName = paused ? "unpause" : "pause";
  if (session === undefined) return [pausing];
  const isOurs = session.restartable === true;
  if (session.readiness === "exited") return isOurs ? ["start-resumed", "start", pausing] : [pausing];
  return [pausing, "rename", ...(isOurs ? (["resume", "restart", "stop"] as const) : [])];
}

/** The session by its id: a name may belong to another agent a moment later. */
export function requestFor(
  action: ActionName,
  agent: BoardAgent,
  session: BoardSession | undefined,
  newName = "",
): Asked {
  const path = `/sessions/${segment(session?.id ?? agent.name)}`;
  switch (action) {
    case "pause":
    case "unpause":
      return { method: "POST", path: `${path}/pause`, body: { paused: action === "pause" } };
    case "rename":
      return { method: "POST", path: `${path}/name`, body: { name: newName } };
    case "stop":
      return { method: "POST", path: `${path}/stop`, body: {} };
    case "restart":
    case "start":
      return { method: "POST", path: `${path}/restart`, body: {} };
    case "resume":
    case "start-resumed":
      return { method: "POST", path: `${path}/restart`, body: { resume: true } };
    default:
      return action satisfies never;
  }
}
