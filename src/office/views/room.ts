/** Composes what the doors look at. */
import type { Ground } from "../presence/ground.ts";
import { AttentionDesk, type AttentionParts } from "./attention.ts";
import { Follows } from "./following.ts";
import { History } from "./history.ts";
import { Queries } from "./queries.ts";
import { Routes } from "./routes.ts";

export type ViewsRoom = ReturnType<typeof viewsRoom>;

export function viewsRoom(ground: Ground, told: Pick<AttentionParts, "overBudget">) {
  const queries = new Queries(ground);
  const attention = new AttentionDesk({ ...ground, ...told });
  const follows = new Follows({ ...ground, queries, attention });
  return { queries, attention, follows, history: new History(ground, queries), routes: new Routes() };
}
