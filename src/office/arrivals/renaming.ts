/** `bellhop name`: who is meant, and whether the name is free. Called by its verb; `agent-names` does the rest. */
import { BellhopError } from "../../core/errors.ts";
import type { RequestOf, ResponseOf } from "../../wire/verbs/index.ts";
import type { Directory } from "../presence/directory.ts";
import type { AgentNames } from "./agent-names.ts";
import { requireName } from "./agents.ts";

export async function rename(
  { directory, names }: { readonly directory: Directory; readonly names: AgentNames },
  { who, name, claims }: RequestOf<"name">,
): Promise<ResponseOf<"name">> {
  requireName(name);
  const meant = who === "" ? directory.ownSession(claims)?.id : who;
  if (meant === undefined) {
    throw new BellhopError("usage.invalid", {
      message: "This terminal has no session of its own.",
      next: `Say whom you mean: bellhop name WHO ${name}.`,
    });
  }
  const session = directory.resolveLive(meant);
  if (session.record.agent !== name && directory.takerOf(name) !== undefined) {
    throw new BellhopError("agent.exists", {
      message: `Another running agent is called "${name}".`,
      next: "Choose another name, or rename that one first.",
    });
  }
  await names.choose(session, name);
  return { agent: name, sessionId: session.record.id };
}
