import type { PromptItem, PromptLimits, Sender } from "../src/core/text/prompt.ts";

export const limits: PromptLimits = { maxCharacters: 790, maxNewlines: 2, newlines: true };
export const oneLine: PromptLimits = { ...limits, newlines: false };
export const coder: Sender = {
  kind: "agent",
  name: "coder",
  sessionId: "08bc57cf",
  headline: "Fix the parser",
};
export const dev: Sender = { kind: "person", name: "dev", outside: false };
export const phone: Sender = { kind: "person", name: "dev", outside: true };
export const FILE = "/home/dev/.bellhop/messages/coder/1700000000000-0a1b2c3d.md";
export const BATCH_FILE = "/home/dev/.bellhop/messages/coder/1700000000001-batch.md";
export const HINT =
  '— from session "Fix the parser" (08bc57cf). To reply: bellhop send 08bc57cf "<your reply>"';

export function message(body: string, sender: Sender = coder, shortId = "m7k2q9"): PromptItem {
  return { shortId, body, sender, file: FILE };
}
