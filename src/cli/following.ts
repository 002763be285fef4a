/** From `peek --follow` to a screen that is shown again whenever it changes: what it needs is loaded only now. */
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { assertNever, BellhopError, EXIT } from "../core/errors.ts";
import { sanitiseLine, sanitiseText } from "../core/text/sanitise.ts";
import type { RequestOf } from "../wire/verbs/index.ts";
import { refuseInsideItself, windowOf } from "./arguments/window.ts";
import type { CommandContext } from "./context.ts";
import { clockTime } from "./printing/moments.ts";
import { noteEnding, printScreen } from "./screens.ts";

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
      // What a pipe has got already is not said twice; a window is given back empty.
      if (inWindow || context.out.json)
        printScreen(context, request, { sessionId, screen: lastScreen.join("\n"), ending: end.ending });
      else noteEnding(context, request.who, end.ending);
      return EXIT.ok;
    case "failed":
      throw new BellhopError(end.error.code, end.error);
    default:
      return assertNever(end);
  }
}

const UNTOLD: readonly string[] = ["terminal.not_hosted", "session.exited"];

/** Undefined for a terminal that does not tell when it changes: it is not ours, or has ended a moment ago. */
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
