/** How much wants the person, in a line under what they asked for. */
import { countsInWords } from "../../core/attention.ts";
import type { Wants } from "../../wire/shapes/attention.ts";
import type { Output } from "./output.ts";

/** Nothing where nothing does; a daemon of an earlier version does not say. */
export function wantsLines({ wants = {}, mail = 0 }: Partial<Wants>): readonly string[] {
  const counted = countsInWords(wants);
  return [
    ...(counted === "" ? [] : [`Wants you: ${counted}. See: bellhop attention`]),
    ...(mail === 0
      ? []
      : [`For you: ${mail} unread ${mail === 1 ? "message" : "messages"}. Read: bellhop inbox`]),
  ];
}

export function printWants(out: Output, wants: Partial<Wants>): void {
  for (const line of wantsLines(wants)) out.line(out.paint("yellow", line));
}
