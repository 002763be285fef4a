/**
 * For commands that act here, without the daemon: an agent is refused in the daemon's own words. A courtesy, no wall:
 * whatever runs as the owner can change the owner's files by other means, and docs/safety.md says so.
 */
import { splitAddress } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import { type Right, rightMissing, type Speaker } from "../../core/rights/rights.ts";
import type { CommandContext } from "../context.ts";

const RIGHT: Right = "admin";

/** `what` an agent may not: that which it asks for, as a sentence goes on. */
export async function requireOwner(context: CommandContext, what?: string): Promise<void> {
  // Nothing shows where it comes from: there is nothing to ask about.
  if (Object.keys(context.claims()).every((said) => said === "user")) return;
  const speaker = await speakerAt(context);
  if (speaker !== undefined) throw rightMissing(speaker, RIGHT, what);
}

/** Undefined for whoever may. */
async function speakerAt(context: CommandContext): Promise<Speaker | undefined> {
  try {
    return await asTheDaemonSees(context);
  } catch (error) {
    if (!(error instanceof BellhopError)) throw error;
    // Nobody there to ask: what this process says of itself is all there is.
    const { session, programSessions = {} } = context.claims();
    if (session !== undefined) return { kind: "unknown-session", id: session };
    const [program] = Object.keys(programSessions);
    return program === undefined ? undefined : { kind: "unknown-program", program };
  }
}

async function asTheDaemonSees(context: CommandContext): Promise<Speaker | undefined> {
  const client = await context.reach("never");
  const { who } = await client.call("inbox", { claims: context.claims(), limit: 1 });
  const { kind, rest } = splitAddress(who);
  if (kind === "person") return undefined;
  const { agents } = await client.call("agent_list", {});
  const agent = agents.find(
    ({ name, sessions }) => (kind === "agent" && name === rest) || sessions.some(({ id }) => id === rest),
  );
  if (agent === undefined) return { kind: "unknown-session", id: rest };
  return agent.rights.includes(RIGHT) ? undefined : { kind: "agent", agent: agent.name, by: "program" };
}
