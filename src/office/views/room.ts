/** Puts together what doors look at. */
import type { Ground } from "../presence/ground.ts";
import { AttentionDesk } from "./attention.ts";
import { Counting } from "./counting.ts";
import { History } from "./history.ts";
import { Overviews } from "./overview.ts";
import { Queries } from "./queries.ts";

export interface ViewsRoom {
  readonly queries: Queries;
  readonly history: History;
  readonly attention: AttentionDesk;
  readonly counting: Counting;
  readonly overviews: Overviews;
}

export function viewsRoom(ground: Ground): ViewsRoom {
  const { context, directory } = ground;
  const queries = new Queries(context, directory);
  const attention = new AttentionDesk(ground);
  return {
    queries,
    history: new History(context, directory, queries),
    attention,
    counting: new Counting(context, attention),
    overviews: new Overviews({ ...ground, queries, attention }),
  };
}
