/** Composes what is typed for a batch, within the limits of the program and of the cursor's row. It types nothing. */
import { BellhopError } from "../../../../core/errors.ts";
import type { Reading } from "../../../../core/readiness/reading.ts";
import type { Screen } from "../../../../core/readiness/screen.ts";
import { composeForPaste, mostInline } from "../../../../core/text/prompt.ts";
import type { Batch, DeliveryOutcome } from "../../../../ports/endpoint.ts";
import type { PromptLimits } from "../../../../ports/profile.ts";
import { cellsOf } from "../../../../screens/cell-width.ts";
import { rowAt } from "../../../../screens/screen-rows.ts";
import { fileBody, promptItems } from "../../compose.ts";
import { holdFor } from "../../gatekeeping.ts";
import type { RungParts } from "../rung.ts";
import { isSeenFirst } from "./place.ts";

export interface Prompt {
  readonly text: string;
  readonly token: string;
  /** The file with its text, if that is not in the prompt itself. */
  readonly file?: string;
}

export async function composePrompt(
  parts: RungParts,
  batch: Batch,
  reading: Reading,
  screen: Screen,
): Promise<Prompt | DeliveryOutcome> {
  try {
    return await composeWithin(parts, batch, limitsFor(parts, reading, screen));
  } catch (error) {
    if (!(error instanceof BellhopError)) throw error;
    return holdFor(parts.context, "unknown", `when it can be typed there: ${error.message} ${error.next}`);
  }
}

/**
 * A text that must be seen in the composer before it is submitted has to fit into the cursor's row, behind where a draft
 * begins: that is set aside before.
 */
function limitsFor({ session }: RungParts, reading: Reading, screen: Screen): PromptLimits {
  const limits = session.profile.limits(session.record.version);
  const room = screen.columns - beginOf(reading, screen) - 2;
  const injection = session.profile.inject("x", reading);
  return isSeenFirst(session, injection) && injection.readWhole !== true
    ? { ...limits, maxCharacters: Math.min(limits.maxCharacters, room) }
    : limits;
}

/** The last place where the row has the draft, wherever the cursor stands in it; the cursor's if that is not certain. */
function beginOf(reading: Reading, screen: Screen): number {
  const { x, y } = screen.cursor;
  if (reading.kind !== "composer" || reading.draft.kind !== "text") return x;
  const row = rowAt(screen, y).text;
  const at = row.lastIndexOf(reading.draft.text);
  return Math.min(x, (at === -1 ? undefined : cellsOf(row.slice(0, at))) ?? x);
}

/** A text that does not fit is put into a file, which the prompt names. */
export async function composeWithin(
  parts: RungParts,
  batch: Batch,
  limits: PromptLimits,
): Promise<Prompt | DeliveryOutcome> {
  const { session, context, directory } = parts;
  const items = promptItems(batch, parts);
  const [first, ...others] = batch.items;
  if (first !== undefined && others.length === 0) {
    const composed = composeForPaste(items, limits);
    if (!composed.byReference) return composed;
    return { ...composed, file: await fileBody(first.message, context, directory) };
  }
  const name = context.files.nameFor(session.record.agent, context.clock.now(), context.ids.message());
  const composed = composeForPaste(items, limits, context.files.absolute(name));
  const isUrgent = batch.items.some(({ delivery }) => delivery.priority === "interrupt");
  if (composed.byReference && isUrgent) return { kind: "apart", first: mostInline(items, limits) };
  if (composed.fileText === undefined) return composed;
  await context.files.ensure(name, composed.fileText);
  return { ...composed, file: context.files.absolute(name) };
}
