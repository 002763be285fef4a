import { expect, it } from "vitest";
import { BOARD_TOPICS } from "../../core/board.ts";
import type { BoardAgent } from "../../wire/shapes/board.ts";
import { BoardReader, MOST_PENDING } from "./board-reader.ts";

const agent = (name: string): BoardAgent => ({
  name,
  createdAt: 0,
  origin: "added",
  paused: false,
  mail: 1,
  queued: 0,
  turns: [],
  sessions: [],
});

it("remembers no more than a snapshot says, and then gets a snapshot", () => {
  const names = Array.from({ length: MOST_PENDING + 1 }, (_, index) => `agent-${index}`);
  const shown = { isFilled: true, agent, all: () => [agent("last")], topics: {} };
  const reader = new BoardReader(shown, BOARD_TOPICS, () => {});
  expect(reader.take()).toMatchObject({ snapshot: { seq: 1 } });
  reader.changed(names.slice(1), []);
  expect(reader.take()).toMatchObject({ changes: { seq: 2, agents: { length: MOST_PENDING } } });
  reader.changed(names, []);
  expect(reader.take()).toEqual({ snapshot: { seq: 3, agents: [agent("last")] } });
  expect(reader.take()).toBeUndefined();
});
