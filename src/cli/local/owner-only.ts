/**
 * For commands that act locally, without the daemon: agents are refused in the daemon's own words. A courtesy, not a
 * barrier: anything that runs as the owner can change the owner's files by other means, as docs/safety.md says.
 */
import { splitAddress } from "../../core/address.ts";
import { BellhopError } from "../../core/errors.ts";
import { type Right, rightMissing, type Speaker } from "../../core/rights/rights.ts";
import type { CommandContext } from "../context.ts";

const RIGHT: Right = "admin";

/** `what` an agent may not do, as the end of a sentence. */
export async function requireOwner(context: CommandContext, what?: string): Promise<void> {
  // Nothing indicates an agent, so there is nothing to ask about.
  if (Object.keys(context.claims()).every((said) => said === "user")) return;
  const speaker = await speakerAt(context);
  if (speaker !== undefined) throw rightMissing(speaker, RIGHT, what);
}

/** Undefined for callers who are allowed. */
async function speakerAt(context: CommandContext): Promise<Speaker | undefined> {
  try {
    return await asTheDaemonSees(context);
  } catch (error) {
    if (!(error instanceof BellhopError)) throw error;
    // The daemon does not run: all we have is what this process says about itself.
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
