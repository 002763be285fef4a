/** Names that have a mailbox. */
import { z } from "zod";
import type { AgentName, SessionId } from "../../core/message.ts";
import { NOTHING } from "../../core/rights/needs.ts";
import type { ShownAgent } from "../shapes/sessions.ts";
import { claims } from "./claims.ts";
import { address, line, name, nothing } from "./fields.ts";
import { REQUEST_LIMITS } from "./limits.ts";
import { typed, verb } from "./verb.ts";

export const agents = {
  /** `who` is empty: the caller's own session. */
  name: verb({
    request: z.strictObject({ who: z.literal("").or(address), name, claims }),
    response: typed<{ readonly agent: AgentName; readonly sessionId: SessionId }>(),
    needs: ({ who, name: chosen }) => [
      { right: "name", unlessOwn: { kind: "name", name: chosen } },
      ...(who === "" ? [] : [{ right: "name", unlessOwn: { kind: "mailbox", who } } as const]),
    ],
  }),
  agent_add: verb({
    request: z.strictObject({ name }),
    response: typed<ShownAgent>(),
    needs: () => [{ right: "name" }],
  }),
  agent_list: verb({
    request: nothing,
    response: typed<{ readonly agents: readonly ShownAgent[] }>(),
    needs: () => NOTHING,
  }),
  agent_show: verb({
    request: z.strictObject({ name }),
    response: typed<ShownAgent>(),
    needs: () => NOTHING,
  }),
  agent_remove: verb({
    request: z.strictObject({ name, force: z.boolean().exactOptional() }),
    /** How many messages and reminders for it were cancelled. */
    response: typed<{ readonly name: AgentName; readonly cancelled: number; readonly reminders: number }>(),
    needs: () => [{ right: "name" }],
  }),
  session_add: verb({
    request: z.strictObject({
      agent: address,
      name,
      title: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
    }),
    response: typed<{ readonly agent: AgentName; readonly sessionId: SessionId; readonly name: string }>(),
    needs: ({ agent }) => [{ right: "name", unlessOwn: { kind: "agent", name: agent } }],
  }),
};
