import type { Reading } from "../../src/core/readiness/reading.ts";
import type { Screen } from "../../src/core/readiness/screen.ts";
import type { DraftKeeping, Profile } from "../../src/ports/profile.ts";
import { opaqueProfile } from "../../src/programs/generic/opaque.ts";
import { genericProfile } from "../../src/programs/generic/profile.ts";
import { ENTER_EXTENDED, ERASE_LINE, press, STASH_EXTENDED, send } from "../../src/programs/strokes.ts";
import { SIGNS } from "./program.ts";

const taught = { composer: { prompt: "^> " }, busy: SIGNS.busy, dialog: `^${SIGNS.asks}` } as const;
const keys = { interrupt: "Escape", clear: "C-u" } as const;

/** Submits in one write with the extended Enter; a draft is retyped. */
const plain = genericProfile({
  ...taught,
  name: "plain",
  match: { command: "plain" },
  keys: { ...keys, submit: "enter-csi-u" },
  submitDelayMs: 0,
});

/** Text first, Enter in a second step. */
const twoStep = genericProfile({
  ...taught,
  name: "two-step",
  match: { command: "two-step" },
  keys: { ...keys, submit: "Enter" },
  submitDelayMs: 150,
});

/** No key that clears its composer is known. */
const keepless = genericProfile({
  ...taught,
  name: "keepless",
  match: { command: "keepless" },
  keys: { submit: "enter-csi-u" },
  submitDelayMs: 0,
});

/** Like Claude Code: an inbox, a stash that comes back by itself, an Escape that closes dialogs. */
const stashing: Profile = {
  ...plain,
  name: "stashing",
  read: readComposer,
  limits: () => ({ maxCharacters: 790, maxNewlines: 2, newlines: true }),
  inject: (prompt) => ({
    strokes: [{ kind: "paste", text: prompt, bracketed: false }, send(ENTER_EXTENDED, ERASE_LINE)],
  }),
  draftKeeping: (_version, reading) =>
    whyNot(reading) ?? {
      how: "stash",
      clear: [send(STASH_EXTENDED)],
      injectOverDraft: (prompt) => ({
        strokes: [
          send(STASH_EXTENDED),
          { kind: "paste", text: prompt, bracketed: false },
          send(ENTER_EXTENDED),
        ],
      }),
      pop: [send(STASH_EXTENDED)],
    },
  interrupt: { strokes: [press("Escape")], repeatable: false },
  dismiss: [press("Escape")],
  inbox: true,
};

/** The same in a release that is not proven: each step is checked before the next. */
const unproven: Profile = {
  ...stashing,
  name: "unproven",
  draftKeeping: (_version, reading) =>
    whyNot(reading) ?? { how: "stash", clear: [send(STASH_EXTENDED)], pop: [send(STASH_EXTENDED)] },
  // No erase key if a stash comes back.
  inject: (prompt) => ({
    strokes: [{ kind: "paste", text: prompt, bracketed: false }, send(ENTER_EXTENDED)],
  }),
};

/** A program with a list of proven releases; that of the running one is known only if it says so. */
const listed: Profile = { ...stashing, name: "listed", proven: ["1.0.0"], inbox: false };

/** Like Codex: clearing puts the draft into a history, Up goes back in it. */
const recalling: Profile = {
  ...stashing,
  name: "recalling",
  draftKeeping: (_version, reading) =>
    whyNot(reading) ?? { how: "history", clear: [press("C-c")], recall: [press("Up")] },
  inbox: false,
};

/** Like Gemini: its submit key may be a new line, and its composer is read in all its rows. */
const twoRows: Profile = {
  ...stashing,
  name: "two-rows",
  draftKeeping: () => ({ how: "none", why: "there is no place for it" }),
  inject: (prompt) => ({
    strokes: [{ kind: "paste", text: prompt, bracketed: true }],
    submit: [press("Enter")],
    submitDelayMs: 150,
    readWhole: true,
  }),
  inbox: false,
};

/** Like OpenCode: an inbox, and a composer into which nothing is typed. */
const inboxOnly: Profile = { ...stashing, name: "inbox-only", composer: "persons-only" };

/** Its hooks take text: after a tool, and at the end of a turn, three times in a row. */
const answering: Profile = {
  ...stashing,
  name: "answering",
  inbox: false,
  hookAnswers: {
    moments: () => ({ tool: "tool-result", "turn-ended": "turn-end" }),
    mostBytes: 2_000,
    mostInARow: 3,
    output: (event, text) => ({ event, text }),
  },
};

/** Codex by name too: the commands of all its windows may run under one of them. */
const codex: Profile = {
  ...recalling,
  name: "codex",
  ...(answering.hookAnswers === undefined ? {} : { hookAnswers: answering.hookAnswers }),
};

const ALL = [
  opaqueProfile,
  plain,
  twoStep,
  keepless,
  stashing,
  unproven,
  listed,
  recalling,
  twoRows,
  inboxOnly,
  answering,
  codex,
] as const;

export type DeskProgram =
  | "plain"
  | "two-step"
  | "keepless"
  | "stashing"
  | "unproven"
  | "listed"
  | "recalling"
  | "two-rows"
  | "inbox-only"
  | "answering"
  | "codex";

export function deskProfile(name: string): Profile | undefined {
  return ALL.find((profile) => profile.name === name);
}

function whyNot(reading: Reading | undefined): DraftKeeping | undefined {
  if (reading === undefined) return undefined;
  const keepable = reading.kind === "composer" && reading.draft.kind === "text" && reading.stash === "none";
  return keepable ? undefined : { how: "none", why: "there is no draft to set aside" };
}

/** Reads a composer of several rows, and the sign of a stash above it. */
function readComposer(screen: Screen): Reading {
  const rows = screen.lines.map(({ text }) => text);
  const dialog = rows.find((row) => row.startsWith(SIGNS.asks));
  if (dialog !== undefined) return { kind: "dialog", fingerprint: dialog, title: dialog };
  const first = rows.findLastIndex((row) => row.startsWith(SIGNS.prompt));
  if (first === -1 || screen.cursor.y < first) return { kind: "unknown", why: "no composer" };
  const text = rows
    .slice(first, screen.cursor.y + 1)
    .map((row) => row.slice(SIGNS.prompt.length))
    .join("\n");
  return {
    kind: "composer",
    draft:
      text === ""
        ? { kind: "empty" }
        : { kind: "text", text, exact: false, lines: screen.cursor.y - first + 1 },
    busy: rows.includes(SIGNS.busy) ? "busy" : "idle",
    stash: rows.includes(SIGNS.stashed) ? "shown" : "none",
    caret: { x: screen.cursor.x, y: screen.cursor.y },
  };
}
