export const REQUEST_LIMITS = {
  addressCharacters: 1_024,
  nameCharacters: 256,
  idCharacters: 128,
  keyNameCharacters: 32,
  keys: 64,
  programSessions: 16,
  environmentEntries: 64,
  environmentCharacters: 8_192,
  waitMs: 366 * 24 * 3_600 * 1_000,
  variables: 2_000,
  /** Of a command: the program and what it is given. A system takes no longer word than this. */
  words: 10_000,
  wordCharacters: 131_071,
  historyEntries: 1_000,
  peekLines: 10_000,
  cronCharacters: 128,
} as const;
