/** Messages of OpenCode's database as lines of a conversation. Pure. */
import { type Fields, fieldsOf } from "../../transcripts/line.ts";

export interface MessageRow {
  readonly id: string;
  readonly at: number;
  readonly data: unknown;
  readonly parts: unknown;
}

/** Call it with each message, newest first: a prompt was read if an answer names it or a later one. */
export function conversationLines(): (row: MessageRow) => Fields {
  let readUpTo = "";
  return ({ id, at, data, parts }) => {
    const { role, parentID, summary } = fieldsOf(data) ?? {};
    // A summary is made of what came before.
    if (role === "assistant" && typeof parentID === "string" && summary !== true && parentID > readUpTo)
      readUpTo = parentID;
    return {
      timestamp: Number.isFinite(at) ? new Date(at).toISOString() : undefined,
      role,
      read: id <= readUpTo,
      parts: Array.isArray(parts) ? parts : [],
    };
  };
}
