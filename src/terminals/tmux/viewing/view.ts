/** One person's live copy of one tmux pane, and their keyboard for it. */
import { assertNever } from "../../../core/errors.ts";
import type { TypedOutcome, View, ViewEar } from "../../../ports/screen-view.ts";
import type { GateOutcome, GateRefusal, Stroke } from "../../../ports/terminal.ts";
import { STROKE_LIMITS } from "../../stroke-limits.ts";
import type { Keyboards } from "./keyboards.ts";
import type { PaneLooker, ViewClients } from "./view-clients.ts";

export interface TmuxViewParts {
  readonly pane: string;
  readonly panePid: number;
  readonly clients: ViewClients;
  readonly keyboards: Keyboards;
  /** Checks that the program is there and in front, and types, in one step. */
  gate(strokes: readonly Stroke[]): Promise<GateOutcome>;
}

export async function openTmuxView(parts: TmuxViewParts, ear: ViewEar): Promise<View> {
  const { pane, panePid, clients, keyboards } = parts;
  let hasKeyboard = false;
  const giveKeyboardBack = (): void => {
    if (hasKeyboard) keyboards.giveBack(pane);
    hasKeyboard = false;
  };
  const looker: PaneLooker = {
    pane,
    panePid,
    drew: (picture) => ear.drew(picture),
    wrote: (text) => ear.wrote(text),
    over: (why) => {
      giveKeyboardBack();
      ear.over(why);
    },
  };
  await clients.join(looker);
  return {
    rest: () => clients.rest(looker),
    again: () => clients.again(looker),
    async takeKeyboard() {
      // Nothing is typed: only whether it could be.
      const outcome = await parts.gate([]);
      if (outcome.kind !== "sent") return { kind: "refused", why: refusedBecause(outcome).why };
      hasKeyboard = true;
      keyboards.take(pane);
      return { kind: "taken" };
    },
    giveKeyboardBack,
    async type(text) {
      if (!hasKeyboard) return { kind: "refused", why: "the keyboard is not taken", keyboard: "lost" };
      keyboards.typed(pane);
      const outcome = await parts.gate(strokesOf(text));
      keyboards.typed(pane);
      return outcome.kind === "sent" ? { kind: "typed" } : refusedBecause(outcome);
    },
    close() {
      giveKeyboardBack();
      clients.leave(looker);
    },
  };
}

/** As a terminal marks it. */
const PASTE = /\x1b\[200~([\s\S]*?)\x1b\[201~/;

/** A marked paste is given to tmux as one, which knows whether the program wants it marked. */
export function strokesOf(text: string): readonly Stroke[] {
  // What stands between the marks comes at every second place.
  return text
    .split(PASTE)
    .flatMap((piece, index) =>
      index % 2 === 1 ? [{ kind: "paste", text: piece, bracketed: true } as const] : typed(piece),
    );
}

function typed(text: string): readonly Stroke[] {
  const bytes = [...Buffer.from(text, "utf8")];
  const strokes: Stroke[] = [];
  for (let at = 0; at < bytes.length; at += STROKE_LIMITS.bytes)
    strokes.push({ kind: "bytes", bytes: bytes.slice(at, at + STROKE_LIMITS.bytes) });
  return strokes;
}

const NOT_ITS: Readonly<Partial<Record<GateRefusal, string>>> = {
  dead: "the program has ended",
  "other-process": "another program is in this terminal",
  "other-command": "another program is in this terminal",
  suspended: "the program is suspended, and another one has the terminal: bring it back with fg there",
};
const IN_THE_WAY: Readonly<Partial<Record<GateRefusal, string>>> = {
  mode: "somebody at the terminal scrolls back in it, or chooses something from a list",
  synchronised: "this terminal copies its keys to others (synchronize-panes)",
  "input-off": "this terminal takes no keys (select-pane -e)",
  unavailable: "its terminal cannot be asked now",
};

function refusedBecause(
  outcome: Exclude<GateOutcome, { kind: "sent" }>,
): Exclude<TypedOutcome, { kind: "typed" }> {
  switch (outcome.kind) {
    case "gone":
      return { kind: "refused", why: "the program has ended", keyboard: "lost" };
    case "unknown":
      return { kind: "unknown", why: outcome.cause };
    case "refused": {
      const [notIts] = outcome.because.flatMap((because) => NOT_ITS[because] ?? []);
      if (notIts !== undefined) return { kind: "refused", why: notIts, keyboard: "lost" };
      const [why = outcome.because.join(", ")] = outcome.because.flatMap(
        (because) => IN_THE_WAY[because] ?? [],
      );
      return { kind: "refused", why, keyboard: "kept" };
    }
    default:
      return assertNever(outcome);
  }
}
