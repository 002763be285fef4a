import { UNKNOWN_PROGRAM } from "../../core/session.ts";
import type { Profile } from "../../ports/profile.ts";

/** A program that Bellhop hosts and knows nothing of: its screen says nothing, so nothing is ever typed there. */
export const opaqueProfile: Profile = {
  name: UNKNOWN_PROGRAM,
  recognise: () => undefined,
  read: () => ({ kind: "unknown", why: "Bellhop has no profile for this program; teach it in config.yaml" }),
  workSign: () => undefined,
  gate: {},
  // Nobody has measured what a newline does there, so none is typed.
  limits: () => ({ maxCharacters: 790, maxNewlines: 0, newlines: false }),
  rawText: "plain",
  inject: () => ({ strokes: [] }),
  draftKeeping: () => ({ how: "none", why: "Bellhop has no profile for this program" }),
  interrupt: undefined,
  // Which key closes a dialog without answering it is not known.
  dismiss: undefined,
  settleMs: 600,
  headlineFromTitle: (title) => title,
  hookable: false,
  sandboxed: false,
  inbox: false,
};
