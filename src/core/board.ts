/** What a reader of the board may ask for. `agents`, `counts`, `bridges` and `health` are what anybody may list. */
export const BOARD_TOPICS = [
  "agents",
  "counts",
  "attention",
  "turns",
  "bridges",
  "broker",
  "health",
] as const;
export type BoardTopic = (typeof BOARD_TOPICS)[number];

/** Those that tell of other people's mail. */
export const PRIVATE_TOPICS: readonly BoardTopic[] = ["attention", "turns", "broker"];
