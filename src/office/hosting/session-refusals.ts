/** Why a program was not started, ended or attached to, and what to do next. */
import { BellhopError } from "../../core/errors.ts";
import type { AgentName } from "../../core/message.ts";
import type { StoredSession } from "../../ports/store.ts";

function whereItIs({ agent, identity, label }: StoredSession): string {
  return identity?.kind === "tmux"
    ? `It runs in tmux (${label}): go there, or look with "bellhop peek ${agent}".`
    : `Start it with "bellhop run --name ${agent} -- PROGRAM".`;
}

export function notHosted(session: StoredSession): BellhopError {
  return new BellhopError("terminal.not_hosted", {
    message: `"${session.agent}" does not run in a terminal that Bellhop hosts.`,
    next: whereItIs(session),
  });
}

export function notStartedHere(session: StoredSession): BellhopError {
  return new BellhopError("terminal.not_hosted", {
    message: `"${session.agent}" was not started by Bellhop ("bellhop run"), so Bellhop does not stop it.`,
    next: whereItIs(session),
  });
}

export function runsAlready(agent: AgentName): BellhopError {
  return new BellhopError("agent.exists", {
    message: `An agent called "${agent}" is already running.`,
    next: `Attach to it with "bellhop attach ${agent}", or choose another name.`,
  });
}

export function didNotEnd(agent: AgentName): BellhopError {
  return new BellhopError("agent.busy", {
    message: `"${agent}" did not stop.`,
    next: `Stop it with more time: bellhop stop ${agent} --grace 30s`,
  });
}

export function nothingToResume(agent: AgentName): BellhopError {
  return new BellhopError("conversation.unknown", {
    message: `Bellhop knows no conversation of "${agent}" to continue.`,
    next: `Start it with a new conversation: bellhop restart ${agent}`,
  });
}

export function notRunning(agent: AgentName): BellhopError {
  return new BellhopError("session.exited", {
    message: `"${agent}" is not running.`,
    next: `Start it again with "bellhop restart ${agent}".`,
  });
}
