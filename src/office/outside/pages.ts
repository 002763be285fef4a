/** Messages in which Bellhop tells the person on their own channels what needs them. */
import type { Json, Message } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { Button } from "../../ports/bridge.ts";

export const PAGE = "page";

export interface PageFacts {
  readonly session: string;
  /** The question that it tells of. */
  readonly about?: string | undefined;
  readonly code?: string | undefined;
  readonly buttons?: readonly Button[] | undefined;
}

export function pagePayload({ session, about, code, buttons }: PageFacts): Json {
  const shown = buttons?.map(({ label, nonce }) => ({ label, nonce }));
  return { session, ...present({ about, code, buttons: shown }) };
}

/** The code of the dialog that a page tells of. */
export function codeOfPage(message: Message | undefined): string | undefined {
  return textIn(message, "code");
}

export function isPageAbout(message: Message, about: string): boolean {
  return textIn(message, "about") === about;
}

function textIn(message: Message | undefined, name: string): string | undefined {
  if (message?.source !== "bellhop" || message.command !== PAGE) return undefined;
  const { payload } = message;
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) return undefined;
  const value = Object.entries(payload).find(([key]) => key === name)?.[1];
  return typeof value === "string" ? value : undefined;
}
