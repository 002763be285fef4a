/** All tools, most used first. */
import type { Tool } from "./tool.ts";
import { askAgent } from "./tools/ask-agent.ts";
import { inbox } from "./tools/inbox.ts";
import { listAgents } from "./tools/list-agents.ts";
import { messageStatus } from "./tools/message-status.ts";
import { remind } from "./tools/remind.ts";
import { reply, sendMessage } from "./tools/send-message.ts";
import { subscribe } from "./tools/subscribe.ts";
import { watchAgent } from "./tools/watch-agent.ts";

export const TOOLS: readonly Tool[] = [
  sendMessage,
  askAgent,
  reply,
  inbox,
  listAgents,
  remind,
  messageStatus,
  subscribe,
  watchAgent,
];
