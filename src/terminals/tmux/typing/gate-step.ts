import { assertNever } from "../../../core/errors.ts";
import type { GateExpectation, GateOutcome } from "../../../ports/terminal.ts";
import type { CommandOutcome } from "../control/control.ts";
import { quote } from "../control/quote.ts";
import { type GatePlace, gateFormat, readReport, reportFormat } from "./gate.ts";
import { scratchFailed } from "./scratch-files.ts";
import type { StrokePlan } from "./strokes.ts";

/** Nothing was typed, for a reason that has nothing to do with what the terminal shows. */
export const UNAVAILABLE: GateOutcome = { kind: "refused", because: ["unavailable"] };
const SENT = "SENT";
const HELD = "HELD ";

/**
 * Prepare, check, type: one list, one write. Pasting into a dead pane crashes tmux 3.3a, so nothing is ever typed
 * outside the check.
 */
export function gateCommands(
  pane: string,
  expectation: GateExpectation,
  place: GatePlace,
  plan: StrokePlan,
): string {
  const whenOpen = [...plan.type, `display-message -p ${SENT}`].join(" ; ");
  const whenHeld = [
    ...plan.buffers.map((buffer) => `delete-buffer -b ${buffer}`),
    `display-message -p -t ${pane} ${quote(HELD + reportFormat(expectation, place))}`,
  ].join(" ; ");
  const check = `if-shell -F -t ${pane} ${quote(gateFormat(expectation, place))} ${quote(whenOpen)} ${quote(whenHeld)}`;
  return [...plan.prepare, check].join(" ; ");
}

type Verdict = GateOutcome | { readonly kind: "moved"; readonly windowId: string };

export function readVerdict(
  outcome: CommandOutcome,
  expectation: GateExpectation,
  place: GatePlace,
  preparations: number,
): Verdict {
  switch (outcome.kind) {
    case "unsent":
      return UNAVAILABLE;
    case "garbled":
    case "late":
    case "lost":
      return { kind: "unknown", cause: outcome.cause };
    case "answered":
      return readAnswer(outcome.blocks, expectation, place, preparations);
    default:
      return assertNever(outcome);
  }
}

function readAnswer(
  blocks: Extract<CommandOutcome, { kind: "answered" }>["blocks"],
  expectation: GateExpectation,
  place: GatePlace,
  preparations: number,
): Verdict {
  const failedAt = blocks.findIndex((block) => !block.ok);
  if (failedAt !== -1) {
    const cause = blocks[failedAt]?.lines.join(" ") ?? "";
    // A list stops at its first error, so the check was never reached.
    if (failedAt < preparations) throw scratchFailed(cause);
    return { kind: "unknown", cause };
  }
  const lines = blocks.flatMap((block) => block.lines);
  if (lines.includes(SENT)) return { kind: "sent" };
  const held = lines.find((line) => line.startsWith(HELD));
  if (held === undefined) return { kind: "unknown", cause: "tmux did not say whether the keys went in" };
  const report = readReport(held.slice(HELD.length), expectation, place);
  return report.kind === "malformed" ? UNAVAILABLE : report;
}
