/** Why an agent did not move to another host, and what to do. */
import type { HostName } from "../../../core/cluster/hosts.ts";
import { assertNever, BellhopError } from "../../../core/errors.ts";
import type { AgentName, DeliveryId } from "../../../core/message.ts";
import type { MoveRefusal } from "./open-moves.ts";

export function isDeclared(name: AgentName, host: HostName): BellhopError {
  return new BellhopError("usage.invalid", {
    message: `"${name}" is declared in config.yaml.`,
    next: `Remove it there, and move it; then declare it in the one of ${host}.`,
  });
}

export function silent(name: AgentName, host: HostName): BellhopError {
  return new BellhopError("wait.timed_out", {
    message: `${host} has not answered: "${name}" stays here.`,
    next: `See whether it is up with "bellhop cluster hosts", and try again.`,
  });
}

/** Either it was off until then, or its clock is wrong: then it is so each time. */
export function overdue(name: AgentName, host: HostName): BellhopError {
  return new BellhopError("wait.timed_out", {
    message: `It came to ${host} after its time: "${name}" stays here.`,
    next: `Try again. If it is too late each time, compare the clocks: "bellhop cluster test ${host}", here and there.`,
  });
}

export function givenBack(name: AgentName, host: HostName): BellhopError {
  return new BellhopError("wait.timed_out", {
    message: `${host} did not take "${name}" in time, and gave the move back: it stays here.`,
    next: `See how soon it answers with "bellhop cluster test ${host}", and try again.`,
  });
}

export function undecided(name: AgentName, host: HostName, delivery: DeliveryId): BellhopError {
  return new BellhopError("wait.timed_out", {
    message: `${host} has not answered: "${name}" stays here, unless ${host} has taken it already.`,
    next: `If so, it follows by itself as soon as ${host} is heard again: see "bellhop cluster hosts". If ${host} is gone for good: "bellhop queue cancel ${delivery}".`,
  });
}

export function goneAlready(name: AgentName, host: HostName): BellhopError {
  return new BellhopError("agent.exists", {
    message: `${host} has taken "${name}" already.`,
    next: `Finish that first: "bellhop agent move ${name} ${host}". Then move it on from there.`,
  });
}

export function startedMeanwhile(name: AgentName, host: HostName): BellhopError {
  return new BellhopError("agent.busy", {
    message: `${host} has taken "${name}", but its program was started here meanwhile: it is on both.`,
    next: `End its program here, and repeat: "bellhop agent move ${name} ${host}".`,
  });
}

export interface Unmoved {
  readonly why: MoveRefusal;
  /** Of that host, as its receipt has them: for whoever reads them. */
  readonly words: string;
  /** The message of an earlier move to that host, of which nothing was heard: it may have the agent by that. */
  readonly before?: string;
}

export function refused(
  name: AgentName,
  here: HostName,
  host: HostName,
  { why, words, before }: Unmoved,
): BellhopError {
  const said = words.replace(`on ${host}: `, "");
  return new BellhopError("message.failed", {
    message: `${host} did not take "${name}", which stays here. It says: ${said}`,
    next: why === "exists" && before !== undefined ? itself(host, before) : nextStep(name, here, host, why),
  });
}

/** Whoever removed it there would have it nowhere: it leaves here once that host is heard. */
function itself(host: HostName, before: string): string {
  return `It may be this very agent: ${host} may have taken it with an earlier move, which was given up. See, on ${host}: "bellhop show ${before}". If that is known there, remove neither: the agent leaves here by itself as soon as ${host} says so. If not, give one of them another name, or remove the other one.`;
}

function nextStep(name: AgentName, here: HostName, host: HostName, why: MoveRefusal): string {
  switch (why) {
    case "right":
      return `Let it, on ${host}: "bellhop cluster admit ${here} KEY --rights LIST", where LIST is the rights that ${here} has there ("bellhop cluster hosts"), with move added, and send.`;
    case "exists":
      return `Give one of them another name, or remove the other one, on ${host}: "bellhop agent remove ${name}".`;
    case "declared":
      return `Remove it from the config.yaml of ${host}, and the agent, or give this one another name.`;
    case "subscription":
      return `Take that away from it first: "bellhop sub list ${name}".`;
    case "unreadable":
      return `Compare "bellhop version" here and on ${host}, and update the older one.`;
    case "nobody":
    case "other":
      return `See ${host}: "bellhop cluster test ${host}".`;
    default:
      return assertNever(why);
  }
}
