/** How much needs the person's attention, in a line below the output. */
import { countsInWords } from "../../core/attention.ts";
import type { Wants } from "../../wire/shapes/attention.ts";
import type { Output } from "./output.ts";

/** Prints nothing if nothing does; a daemon of an earlier version does not say. */
export function printWants(out: Output, { wants = {}, mail = 0 }: Partial<Wants>): void {
  const counted = countsInWords(wants);
  const unread = `${mail} unread ${mail === 1 ? "message" : "messages"}`;
  if (counted !== "") out.line(out.paint("yellow", `Wants you: ${counted}. See: bellhop attention`));
  if (mail > 0) out.line(out.paint("yellow", `For you: ${unread}. Read: bellhop inbox`));
}
