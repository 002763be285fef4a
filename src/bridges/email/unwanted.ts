/** Letters that no person wrote to us: answering or relaying them makes loops. */
import { isOwnMessageId } from "./message-ids.ts";
import type { HeaderField } from "./vouching.ts";

export function whyUnwanted(
  fields: readonly HeaderField[],
  messageId: string | undefined,
): string | undefined {
  const has = (name: string, test: (value: string) => boolean): boolean =>
    fields.some((field) => field.name === name && test(withoutComments(field.value)));
  if (messageId !== undefined && isOwnMessageId(messageId)) return "its Message-ID is one of ours";
  if (has("auto-submitted", (value) => !/^no\b/iu.test(value)))
    return "it was sent by a program (Auto-Submitted)";
  if (has("list-id", () => true)) return "it came through a mailing list (List-Id)";
  if (has("precedence", (value) => /^(?:bulk|junk|list)\b/iu.test(value)))
    return "it is bulk mail (Precedence)";
  // Only the topmost is the provider's; below it may stand what came in.
  const returnPath = fields.find(({ name }) => name === "return-path");
  if (returnPath !== undefined && /^<\s*>/u.test(withoutComments(returnPath.value)))
    return "nobody wants an answer to it (Return-Path)";
  return undefined;
}

function withoutComments(value: string): string {
  return value.replace(/\([^()]*\)/gu, " ").trim();
}
