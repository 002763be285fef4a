/** What is said of an agent that another host does not have. Pure. */
import { agentAddress, splitAddress } from "../address.ts";
import { BellhopError } from "../errors.ts";
import type { AgentName } from "../message.ts";
import { didYouMean } from "../text/nearest.ts";
import { type Elsewhere, shownElsewhere } from "./hosts.ts";

/** `agents`: those that the host has. */
export function lackedThere({ address, host }: Elsewhere, agents: readonly AgentName[]): BellhopError {
  const { rest } = splitAddress(address);
  const others = agents.map((name) => shownElsewhere({ address: agentAddress(name), host }));
  return new BellhopError("recipient.unknown", {
    message: `${host} has no agent "${rest}".`,
    next: `${didYouMean(shownElsewhere({ address, host }), others)}See who is there with "bellhop ls --all-hosts --all"; on ${host}, create a mailbox with "bellhop agent add ${rest}".`,
  });
}
