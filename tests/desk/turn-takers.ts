import type { AutoRunWords } from "../../src/core/turns/auto-run.ts";
import { type Desk, openDesk } from "./desk.ts";
import { AS_SHIPPED } from "./settings.ts";

export const WORKS = { enabled: true, cwd: "/home/dev/repo", triageModel: "" } as const;

/** Agents without a terminal, which take turns. */
export async function deskWith(words: AutoRunWords, ...agents: readonly string[]): Promise<Desk> {
  const desk = await openDesk();
  desk.settings = { ...AS_SHIPPED, turns: { ...AS_SHIPPED.turns, any: true, everyone: words } };
  await desk.ready();
  for (const name of agents) await desk.done(desk.use.agent_add({ name }));
  return desk;
}
