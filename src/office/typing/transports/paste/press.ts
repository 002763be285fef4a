/** The keys themselves: text and submit in one step through the gate, or in two if the program needs that. */
import { essence } from "../../../../core/text/whole-prompt.ts";
import type { Injection } from "../../../../ports/profile.ts";
import type { GateOutcome } from "../../../../ports/terminal.ts";
import { pause } from "../../../base/deadline.ts";
import { composerHolds, composerText } from "../../proof.ts";
import { expected, isSeenFirst, type PasteParts, type Place } from "./place.ts";
import type { Prompt } from "./prompt.ts";

/** Text that is typed but not submitted stays in the person's line, so a slow machine is given time. */
const SHOWN_WITHIN_MS = 10_000;

export type Pressed = GateOutcome | { readonly kind: "left-in-composer"; readonly note: string };

export async function press(
  parts: PasteParts,
  prompt: Prompt,
  injection: Injection,
  place: Place,
): Promise<Pressed> {
  const { session, context } = parts;
  const expectation = expected(parts, place);
  if (injection.submit === undefined) return session.terminal.gate(expectation, injection.strokes);
  if (!isSeenFirst(session, injection)) {
    return session.terminal.gate(expectation, [...injection.strokes, ...injection.submit]);
  }
  const pasted = await session.terminal.gate(expectation, injection.strokes);
  if (pasted.kind !== "sent") return pasted;
  if (injection.submitDelayMs !== undefined) await pause(context.clock, injection.submitDelayMs);
  const whole = essence(prompt.text);
  const shown = await session.watch(
    (observation) =>
      composerHolds(observation, prompt.token) && !isStillDrawn(composerText(observation), whole),
    { timeoutMs: SHOWN_WITHIN_MS },
  );
  if (shown?.screen === undefined || shown.reading.kind !== "composer") {
    return {
      kind: "left-in-composer",
      note: "the text was typed, but its composer does not show it: not submitted",
    };
  }
  // However long ago it was typed: text after ours would be sent with it.
  const alone = composerText(shown) === whole;
  const there: Place = { observation: shown, screen: shown.screen };
  const second: GateOutcome = alone
    ? await session.terminal.gate(expected(parts, there), injection.submit)
    : { kind: "refused", because: ["typing"] };
  if (second.kind === "sent") return second;
  return {
    kind: "left-in-composer",
    note: "someone typed behind the text: it was left in the composer, not submitted",
  };
}

/** A program that draws its input piece by piece first shows the beginning of our text; nobody has typed after it. */
function isStillDrawn(shown: string | undefined, whole: string): boolean {
  return shown !== undefined && shown !== whole && whole.startsWith(shown);
}
