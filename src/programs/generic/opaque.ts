import { UNKNOWN_PROGRAM } from "../../core/session.ts";
import type { Profile } from "../../ports/profile.ts";

/** A hosted program that Bellhop does not know: its screen cannot be interpreted, so nothing is ever typed there. */
export const opaqueProfile: Profile = {
  name: UNKNOWN_PROGRAM,
  recognise: () => undefined,
  read: () => ({ kind: "unknown", why: "Bellhop has no profile for this program; teach it in config.yaml" }),
  workSign: () => undefined,
  gate: {},
  // The effect of a newline was never measured, so none is typed.
  limits: () => ({ maxCharacters: 790, maxNewlines: 0, newlines: false }),
  rawText: "plain",
  inject: () => ({ strokes: [] }),
  draftKeeping: () => ({ how: "none", why: "Bellhop has no profile for this program" }),
  interrupt: undefined,
  // It is not known which key closes a dialog without answering it.
  dismiss: undefined,
  settleMs: 600,
  headlineFromTitle: (title) => title,
  hookable: false,
  sandboxed: false,
  inbox: false,
};
