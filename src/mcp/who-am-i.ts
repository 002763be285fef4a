/** Who calls, as Bellhop knows them: only the office can tell. */
import { splitAddress } from "../core/address.ts";
import type { Address, AgentName } from "../core/message.ts";
import type { ShownAgent } from "../wire/shapes/sessions.ts";
import type { ToolSetting } from "./tool.ts";

export type Myself =
  | { readonly kind: "agent"; readonly name: AgentName }
  /** A person, or a program that Bellhop does not know. */
  | { readonly kind: "other"; readonly address: Address };

export async function whoAmI({ call, claims }: ToolSetting, known?: readonly ShownAgent[]): Promise<Myself> {
  if (claims.agent !== undefined) return { kind: "agent", name: claims.agent };
  const { who } = await call("inbox", { claims, limit: 1 });
  const { kind, rest } = splitAddress(who);
  if (kind === "agent") return { kind: "agent", name: rest };
  if (kind !== "session") return { kind: "other", address: who };
  const agents = known ?? (await call("agent_list", {})).agents;
  const owner = agents.find(({ sessions }) => sessions.some(({ id }) => id === rest));
  return owner === undefined ? { kind: "other", address: who } : { kind: "agent", name: owner.name };
}
