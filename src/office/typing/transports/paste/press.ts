/** The keys themselves: text and submit in one step through the gate, or in two if the program needs that. */
import { essence } from "../../../../core/text/whole-prompt.ts";
import type { Injection } from "../../../../ports/profile.ts";
import type { GateOutcome, GateRefusal, Stroke } from "../../../../ports/terminal.ts";
import { pause } from "../../../base/deadline.ts";
import type { Observation } from "../../../presence/observation.ts";
import { composerHolds, composerText } from "../../proof.ts";
import { expected, isSeenFirst, type PasteParts, type Place } from "./place.ts";
import type { Prompt } from "./prompt.ts";

/** Text that is typed but not submitted stays in the person's line, so a slow machine is given time. */
const SHOWN_WITHIN_MS = 10_000;
/** A program may draw its input anew just when it is looked at. What stands behind our text for longer was typed. */
const SETTLES_WITHIN_MS = 2_000;
const BETWEEN_TRIES_MS = 100;
/** How long a program that may take its submit key for a new line is looked at after it, and how often it is pressed. */
const TAKEN_WITHIN_MS = 3_000;
const MOST_PRESSES = 3;
/**
 * A person has taken the keyboard, or it is no longer the same program. Whatever else a gate refuses for passes in a
 * moment, also a key that left our text as it was; in tmux, a client of ours that joins counts as one for two seconds.
 */
const FINAL: readonly GateRefusal[] = ["attached", "dead", "other-process", "suspended"];

export type Pressed = GateOutcome | { readonly kind: "left-in-composer"; readonly note: string };

export async function press(
  parts: PasteParts,
  prompt: Prompt,
  injection: Injection,
  place: Place,
): Promise<Pressed> {
  const { session } = parts;
  const expectation = expected(parts, place);
  if (injection.submit === undefined) return session.terminal.gate(expectation, injection.strokes);
  if (!isSeenFirst(session, injection)) {
    return session.terminal.gate(expectation, [...injection.strokes, ...injection.submit]);
  }
  const pasted = await session.terminal.gate(expectation, injection.strokes);
  if (pasted.kind !== "sent") return pasted;
  return submitWhenAlone(parts, prompt, injection.submit, injection.submitDelayMs);
}

async function submitWhenAlone(
  parts: PasteParts,
  prompt: Prompt,
  submit: readonly Stroke[],
  delayMs: number | undefined,
): Promise<Pressed> {
  const { session, context } = parts;
  const whole = essence(prompt.text);
  let isRested = delayMs === undefined;
  let presses = 0;
  const until = context.clock.monotonic() + SHOWN_WITHIN_MS;
  for (;;) {
    const shown = await session.watch(
      (observation) =>
        composerHolds(observation, prompt.token) && !isStillDrawn(composerText(observation), whole),
      { timeoutMs: Math.max(1, until - context.clock.monotonic()) },
    );
    if (shown === undefined) return left("the text was typed, but its composer does not show it");
    // However long ago it was typed: text after ours would be sent with it.
    const alone = await session.watch((observation) => composerText(observation) === whole, {
      timeoutMs: SETTLES_WITHIN_MS,
    });
    if (alone?.screen === undefined) return left("someone typed behind the text");
    if (!isRested) {
      // From here on, not from the keys: a program that was slow to take the text has taken it only now.
      await pause(context.clock, delayMs ?? 0);
      isRested = true;
      continue;
    }
    const there: Place = { observation: alone, screen: alone.screen };
    const outcome = await session.terminal.gate(expected(parts, there), submit);
    presses += 1;
    if (outcome.kind === "sent" && delayMs !== undefined && presses < MOST_PRESSES) {
      // Seen, not assumed: a second Enter could answer a dialog, or submit twice.
      if (!(await becameNewLine(parts, prompt, newLinesAfter(alone)))) return outcome;
      isRested = false;
      continue;
    }
    if (outcome.kind === "sent" || outcome.kind === "unknown") return outcome;
    if (outcome.kind === "gone") return left("its terminal is gone");
    const isFinal = outcome.because.some((refusal) => FINAL.includes(refusal));
    if (isFinal || context.clock.monotonic() >= until)
      return left(
        outcome.because.includes("typing")
          ? "someone kept typing at its terminal"
          : `the text was typed, but its terminal takes no Enter (${outcome.because.join(", ")})`,
      );
    await pause(context.clock, BETWEEN_TRIES_MS);
  }
}

/** The key has made one more new line behind our text, which is still there. */
async function becameNewLine({ session }: PasteParts, prompt: Prompt, before: number): Promise<boolean> {
  const isLonger = (observation: Observation) =>
    composerHolds(observation, prompt.token) && newLinesAfter(observation) > before;
  const after = await session.watch(
    (observation) => !composerHolds(observation, prompt.token) || isLonger(observation),
    { timeoutMs: TAKEN_WITHIN_MS },
  );
  return after !== undefined && isLonger(after);
}

/** How many stand at the end of what the composer holds. */
function newLinesAfter({ reading }: Observation): number {
  if (reading.kind !== "composer" || reading.draft.kind !== "text") return 0;
  return (/\s*$/u.exec(reading.draft.text)?.[0] ?? "").split("\n").length - 1;
}

function left(why: string): Pressed {
  return { kind: "left-in-composer", note: `${why}: it was left in the composer, not submitted` };
}

/** A program that draws its input piece by piece first shows the beginning of our text; nobody has typed after it. */
function isStillDrawn(shown: string | undefined, whole: string): boolean {
  return shown !== undefined && shown !== whole && whole.startsWith(shown);
}
