/** Everything that a page shows, now and at every change. `watch` is taken: it tells one agent about another. */
import { z } from "zod";
import { BOARD_TOPICS, PRIVATE_TOPICS } from "../../core/board.ts";
import { mail, NOTHING } from "../../core/rights/needs.ts";
import { reqId } from "./fields.ts";
import { type Checked, stream } from "./verb.ts";

/** All of them if absent. */
export const boardTopics = z.array(z.enum(BOARD_TOPICS)).min(1).max(BOARD_TOPICS.length).exactOptional();

export const boardStreams = {
  watch_all: stream(
    () => z.strictObject({ topics: boardTopics }),
    ({ topics = BOARD_TOPICS }) =>
      topics.some((topic) => PRIVATE_TOPICS.includes(topic)) ? mail() : NOTHING,
  ),
  unwatch_all: stream(
    () => z.strictObject({ watchAll: reqId }),
    () => NOTHING,
  ),
};

export type BoardRequest = Checked<typeof boardStreams.watch_all.request>;
