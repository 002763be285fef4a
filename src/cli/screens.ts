/** What an agent's terminal shows, for people and scripts. */
import { sanitiseLine, sanitiseText } from "../core/text/sanitise.ts";
import type { ShownEnding } from "../wire/shapes/sessions.ts";
import type { RequestOf, ResponseOf } from "../wire/verbs/index.ts";
import type { CommandContext } from "./context.ts";
import { endingWords } from "./printing/endings.ts";
import { age, dateAndTime } from "./printing/moments.ts";

export function printScreen(
  context: CommandContext,
  { who, ansi }: RequestOf<"peek">,
  answer: ResponseOf<"peek">,
): void {
  const { out } = context;
  if (out.json) {
    out.value(answer);
    return;
  }
  if (answer.screen !== "")
    out.line(ansi === true ? withColoursOnly(answer.screen) : sanitiseText(answer.screen));
  if (answer.ending !== undefined) noteEnding(context, who, answer.ending);
}

/** On standard error: it is no part of the screen. */
export function noteEnding({ out, now }: CommandContext, who: string, ending: ShownEnding): void {
  const name = sanitiseLine(who);
  const did = { exited: "", killed: "was ", lost: "was ", unknown: "has " }[ending.how];
  const when = `at ${dateAndTime(ending.at)} (${age(ending.at, now())} ago)`;
  out.note(
    out.paint("dim", `${name} ${did}${endingWords(ending)} ${when}. Start it again: bellhop restart ${name}`),
  );
}

const COLOUR = /(\x1b\[[0-9;:]*m)/;

/** Colours pass, everything else that a terminal would obey does not. */
function withColoursOnly(screen: string): string {
  const safe = screen
    .split(COLOUR)
    .map((part, index) => (index % 2 === 1 ? part : sanitiseText(part)))
    .join("");
  return `${safe}\x1b[0m`;
}
