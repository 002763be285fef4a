/** Names that have a mailbox. */
import { z } from "zod";
import type { HostName } from "../../core/cluster/hosts.ts";
import type { AgentName, SessionId } from "../../core/message.ts";
import { NOTHING } from "../../core/rights/needs.ts";
import type { ShownAgent } from "../shapes/sessions.ts";
import { claims } from "./claims.ts";
import { address, line, name, nothing, patience, REQUEST_LIMITS } from "./fields.ts";
import { typed, verb } from "./verb.ts";

export const agents = {
  /** If `who` is empty: the caller's own session. */
  name: verb(
    () => z.strictObject({ who: z.literal("").or(address), name, claims }),
    typed<{ readonly agent: AgentName; readonly sessionId: SessionId }>(),
    ({ who, name: chosen }) => [
      { right: "name", unlessOwn: { kind: "name", name: chosen } },
      ...(who === "" ? [] : [{ right: "name", unlessOwn: { kind: "mailbox", who } } as const]),
    ],
  ),
  agent_add: verb(
    () => z.strictObject({ name }),
    typed<ShownAgent>(),
    () => [{ right: "name" }],
  ),
  agent_list: verb(
    () => nothing,
    typed<{ readonly agents: readonly ShownAgent[] }>(),
    () => NOTHING,
  ),
  agent_show: verb(
    () => z.strictObject({ name }),
    typed<ShownAgent>(),
    () => NOTHING,
  ),
  agent_remove: verb(
    () => z.strictObject({ name, force: z.boolean().exactOptional() }),
    /** How many of its messages and reminders were cancelled. */
    typed<{ readonly name: AgentName; readonly cancelled: number; readonly reminders: number }>(),
    () => [{ right: "name" }],
  ),
  /** To another host, with its subscriptions and what waits for it. It must not run. */
  agent_move: verb(
    () =>
      z.strictObject({
        name,
        host: line(REQUEST_LIMITS.nameCharacters),
        timeoutMs: patience.exactOptional(),
      }),
    /** `messages`: those that go after it from here. `sentOn`: those that came from other hosts, which send them on. */
    typed<{
      readonly agent: AgentName;
      readonly host: HostName;
      readonly subscriptions: number;
      readonly messages: number;
      readonly sentOn: number;
    }>(),
    () => [{ right: "admin", what: "move agents to other hosts", only: "owner" }],
  ),
  session_add: verb(
    () =>
      z.strictObject({
        agent: address,
        name,
        title: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
      }),
    typed<{ readonly agent: AgentName; readonly sessionId: SessionId; readonly name: string }>(),
    ({ agent }) => [{ right: "name", unlessOwn: { kind: "agent", name: agent } }],
  ),
};
