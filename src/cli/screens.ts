/** Shows an agent's terminal to people and scripts: once, or at every change. */
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { assertNever, BellhopError, EXIT } from "../core/errors.ts";
import { sanitiseLine, sanitiseText } from "../core/text/sanitise.ts";
import type { ShownEnding } from "../wire/shapes/sessions.ts";
import type { RequestOf, ResponseOf } from "../wire/verbs/index.ts";
import { refuseInsideItself, windowOf } from "./arguments/window.ts";
import type { CommandContext } from "./context.ts";
import { endingWords } from "./printing/endings.ts";
import { age, clockTime, dateAndTime } from "./printing/moments.ts";

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

/** On standard error, because it is not part of the screen. */
function noteEnding({ out, now }: CommandContext, who: string, ending: ShownEnding): void {
  const name = sanitiseLine(who);
  const did = { exited: "", killed: "was ", lost: "was ", unknown: "has " }[ending.how];
  const when = `at ${dateAndTime(ending.at)} (${age(ending.at, now())} ago)`;
  out.note(
    out.paint("dim", `${name} ${did}${endingWords(ending)} ${when}. Start it again: bellhop restart ${name}`),
  );
}

const COLOUR = /(\x1b\[[0-9;:]*m)/;

/** Keeps colours and removes everything else that a terminal would obey. */
function withColoursOnly(screen: string): string {
  const safe = screen
    .split(COLOUR)
    .map((part, index) => (index % 2 === 1 ? part : sanitiseText(part)))
    .join("");
  return `${safe}\x1b[0m`;
}

/** Shows it at every change; the code for that is loaded only now. */
export async function followScreen(context: CommandContext, request: RequestOf<"peek">): Promise<number> {
  const first = await context.ask("peek", request);
  if (first.ending !== undefined) {
    printScreen(context, request, first);
    return EXIT.ok;
  }
  const { sessionId } = first;
  refuseInsideItself(context, { sessionId, agent: sanitiseLine(request.who) });
  const place = await placeOf(context, sessionId);
  const ask = () => context.ask("peek", { ...request, who: sessionId });
  const bundle = pathToFileURL(join(dirname(context.daemonEntry), "follow.mjs")).href;
  const { follow } = (await import(bundle)) as typeof import("../attach/following/follow.ts");
  const inWindow = !context.out.json && windowOf(context) === "whole";
  const { lastScreen, ...end } = await follow({
    agent: sanitiseLine(request.who),
    source: place === undefined ? { kind: "polls", first, ask } : { kind: "host", place },
    colours: request.ansi === true ? "with" : "without",
    onto: inWindow
      ? { kind: "window", input: process.stdin, output: process.stdout }
      : { kind: "pipe", print: (lines) => printBlock(context, request, sessionId, lines) },
    left: context.interrupted(),
  });
  switch (end.kind) {
    case "left":
      return EXIT.ok;
    case "ended":
      // What a pipe has already received is not repeated; a window is restored empty.
      if (inWindow || context.out.json)
        printScreen(context, request, { sessionId, screen: lastScreen.join("\n"), ending: end.ending });
      else noteEnding(context, request.who, end.ending);
      return EXIT.ok;
    case "failed":
      if (first.turn !== undefined && end.error.code === "session.exited") {
        context.out.note(`The turn has ended. See it with: bellhop turn show ${first.turn}`);
        return EXIT.ok;
      }
      throw new BellhopError(end.error.code, end.error);
    default:
      return assertNever(end);
  }
}

const UNTOLD: readonly string[] = ["terminal.not_hosted", "session.exited"];

/** Undefined for a terminal that does not report changes: it is not ours, or has just ended. */
async function placeOf(context: CommandContext, who: string) {
  try {
    return await context.ask("attach", { who });
  } catch (error) {
    if (error instanceof BellhopError && UNTOLD.includes(error.code)) return undefined;
    throw error;
  }
}

async function printBlock(
  { out, now }: CommandContext,
  { who, ansi }: RequestOf<"peek">,
  sessionId: string,
  lines: readonly string[],
): Promise<void> {
  const at = now();
  if (out.json) out.value({ sessionId, at, screen: lines.join("\n") });
  else {
    out.line(`=== ${sanitiseLine(who)} ${clockTime(at)}`);
    for (const line of lines) out.line(ansi === true ? line : sanitiseText(line));
  }
  await out.drained();
}
