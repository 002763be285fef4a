/** Composes what the doors look at. */
import type { Touches } from "../base/touches.ts";
import type { Ground } from "../presence/ground.ts";
import { AttentionDesk, type AttentionParts } from "./attention.ts";
import { BoardDesk, type BoardParts } from "./board.ts";
import { Follows } from "./following.ts";
import { History } from "./history.ts";
import { Queries } from "./queries.ts";
import { Routes } from "./routes.ts";

export type ViewsRoom = ReturnType<typeof viewsRoom>;

export type ViewsTold = Pick<AttentionParts, "overBudget"> &
  Pick<BoardParts, "takesTurns" | "lastStep" | "shown" | "bridges" | "broker" | "health">;

export function viewsRoom(ground: Ground, touches: Touches, told: ViewsTold) {
  const queries = new Queries(ground);
  const attention = new AttentionDesk({ ...ground, ...told });
  return {
    queries,
    attention,
    board: new BoardDesk({ ...ground, ...told, queries, attention, touches }),
    follows: new Follows({ ...ground, queries }),
    history: new History(ground, queries),
    routes: new Routes((mailbox) => ground.directory.ownerOf(mailbox)),
  };
}
