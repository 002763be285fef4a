/** Who gets a message, asked of those who are there now. Accept calls it; it decides nothing itself and writes nothing. */
import { agentAddress } from "../../core/address.ts";
import type { Message } from "../../core/message.ts";
import type { Pattern } from "../../core/routing/pattern.ts";
import { type Decision, route } from "../../core/routing/route.ts";
import type { StoreReader } from "../../ports/store.ts";
import { descendantAt } from "../presence/lineage.ts";
import type { AcceptParts } from "./arrival.ts";

export function routed(
  { directory, subscriptions, told }: AcceptParts,
  read: StoreReader,
  { from, source }: Pick<Message, "from" | "source">,
  path: Pattern,
): Decision {
  return route(
    { from, source, path },
    {
      // It runs, or nobody says that it has ended; it reads its mailbox by hand; or somebody listens for it.
      subscribersOf: (wanted) =>
        subscriptions.subscribersOf(
          wanted,
          read,
          (agent) => directory.isThere(agent, read) || told.isHeard(agentAddress(agent)),
        ),
      knows: (address) => directory.knows(address),
      descendantAt: (address) => descendantAt(address, read),
      agentOf: (session) => read.session(session)?.agent,
    },
  );
}
