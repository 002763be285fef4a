/** What an agent may run without being asked: what it is told to run, and nothing that changes another's queue. */
export const AGENT_COMMANDS = [
  "send",
  "ask",
  "reply",
  "read",
  "ls",
  "inbox",
  "remind",
  "wake",
  "output",
] as const;
