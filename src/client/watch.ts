/** Everything that the daemon shows, as a loop: `for await (const { board } of bellhop.watch())`. */
import type { BoardTopic } from "../core/board.ts";
import type { Board, BoardChanges } from "../wire/shapes/board.ts";
import { BoardPicture } from "./board.ts";
import { hearPatiently } from "./hearing.ts";
import type { Line, Listening } from "./line.ts";
import type { Patience } from "./patience.ts";
import { lost } from "./transport/failures.ts";

export interface WatchOptions {
  /** All of them if absent. */
  readonly topics?: readonly BoardTopic[];
  readonly signal?: AbortSignal;
}

export interface Watched {
  /** All of it, as it is now. */
  readonly board: Board;
  /** What differs from the one before. Absent at first, and after a gap: then anything may. */
  readonly changes?: BoardChanges;
}

/** A slow reader gets fewer and newer ones: the daemon puts together what it does not read. */
const MOST_HEARD = 4;

export function watchPatiently(
  line: Line,
  { topics, signal }: WatchOptions,
  patience: Patience,
  closed: AbortSignal,
): AsyncIterableIterator<Watched> {
  return hearPatiently<Watched>({
    open: async ({ hear, over }) => {
      const picture = new BoardPicture();
      let listening: Listening | undefined;
      listening = await line.board(topics, {
        hear(frame) {
          const board = picture.hear(frame);
          if (board !== "gap")
            return hear("changes" in frame ? { board, changes: frame.changes } : { board });
          listening?.close();
          over(lost());
        },
        over,
      });
      return listening;
    },
    most: MOST_HEARD,
    patience,
    leaving: [closed, ...(signal === undefined ? [] : [signal])],
  });
}
