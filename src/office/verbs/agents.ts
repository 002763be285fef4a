import type { agents } from "../../wire/verbs/agents.ts";
import type { UseCasesOf } from "../../wire/verbs/index.ts";
import { moveAgent } from "../cluster/moving/moving.ts";
import type { UseCaseParts } from "./parts.ts";

export function agentVerbs(parts: UseCaseParts): UseCasesOf<typeof agents> {
  const { queries } = parts;
  return {
    name: async (request) => {
      const renamed = await parts.names.rename(request);
      parts.couriers.wakeAll();
      return renamed;
    },
    agent_add: async ({ name }) => {
      await parts.agents.add(name);
      return queries.agent(name);
    },
    agent_list: async () => ({ agents: queries.agents() }),
    agent_show: async ({ name }) => queries.agent(name),
    agent_remove: async ({ name: asked, force }) => {
      const { name } = queries.agent(asked);
      const removed = await parts.agents.remove(name, force ? "with-what-waits" : "only-if-empty");
      parts.turns.reconsider();
      return { name, ...removed };
    },
    agent_move: (request) => moveAgent(parts, request),
    session_add: async ({ agent, name, title }) => {
      const owner = queries.agent(agent).name;
      const session = await parts.agents.ensureSession(owner, name, title);
      return { agent: owner, sessionId: session.id, name: session.name ?? name };
    },
  };
}
