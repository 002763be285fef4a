/** Reads the board of a desk as a door would: takes a frame whenever there is one, unless it is stalled. */
import { BoardPicture } from "../../src/client/board.ts";
import type { BoardTopic } from "../../src/core/board.ts";
import type { Board, BoardFrame } from "../../src/wire/shapes/board.ts";
import type { Claims } from "../../src/wire/verbs/claims.ts";
import type { BoardReading } from "../../src/wire/verbs/streams.ts";
import type { Desk } from "./desk.ts";

export interface DeskReader {
  readonly frames: BoardFrame[];
  /** The frames put together. */
  board(): Board;
  /** Takes nothing until `resume`. */
  stall(): void;
  resume(): void;
  close(): void;
}

export async function readBoard(
  desk: Desk,
  topics?: readonly BoardTopic[],
  claims: Claims = { user: "dev" },
): Promise<DeskReader> {
  const frames: BoardFrame[] = [];
  const picture = new BoardPicture();
  let board: Board = {};
  let state: "taking" | "stalled" = "taking";
  let reading: BoardReading | undefined;
  const take = (): void => {
    if (state === "stalled") return;
    for (let frame = reading?.take(); frame !== undefined; frame = reading?.take()) {
      frames.push(frame);
      const now = picture.hear(frame);
      if (now === "gap") throw new Error("a frame is missing");
      board = now;
    }
  };
  const opening = desk.office.streams.board(topics === undefined ? {} : { topics }, () => take(), claims);
  reading = await desk.done(opening);
  take();
  return {
    frames,
    board: () => board,
    stall: () => {
      state = "stalled";
    },
    resume: () => {
      state = "taking";
      take();
    },
    close: () => reading?.close(),
  };
}
