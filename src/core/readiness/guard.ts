import { assertNever } from "../errors.ts";
import type { Instant } from "../message.ts";
import type { DraftReading, Reading } from "./reading.ts";

/**
 * The input guard of one terminal: may we type now, and what happens to a person's unsent text.
 *
 *            text seen                unchanged for staleAfterMs
 *   clear ───────────────▶ typing ───────────────────────────────▶ (keep, deliver) ─▶ kept
 *     ▲                     │  ▲                                                        │
 *     │  composer empty     │  └── the text changed: the clock starts again             │ restored
 *     └─────────────────────┴───────────────────────────────────────────────────────────┘
 *
 * While `kept`, the person's text lives in the program's stash or history, or with us.
 */
export type Guard =
  | { readonly at: "clear" }
  | { readonly at: "typing"; readonly text: string; readonly unchangedSince: Instant }
  | { readonly at: "kept"; readonly text: string; readonly keptAt: Instant };

export const CLEAR: Guard = { at: "clear" };

export type GuardAction =
  /** Proceed to the final gate. */
  | { readonly do: "deliver" }
  /** Set the text aside as the profile says, then deliver. */
  | { readonly do: "keep"; readonly draft: Extract<DraftReading, { kind: "text" }> }
  | {
      readonly do: "hold";
      readonly reason: "typing" | "blocked" | "unknown";
      readonly lookAgainAt: Instant;
      readonly release: string;
    };

export interface GuardPolicy {
  readonly staleAfterMs: number;
  readonly pollEveryMs: number;
  /** `interrupt` and `queue now` do not wait until the text is stale. */
  readonly skipWaiting: boolean;
  /** Why the program has no safe way to set a draft aside; undefined if it has one. */
  readonly cannotKeep: string | undefined;
}

/** After a refusal by the terminal's own gate: soon, because a person's pause may be short. */
export const RETRY_AFTER_REFUSAL_MS = 700;

export function guardStep(
  guard: Guard,
  reading: Reading,
  now: Instant,
  policy: GuardPolicy,
): readonly [Guard, GuardAction] {
  const hold = (reason: "blocked" | "unknown", release: string) =>
    ({ do: "hold", reason, lookAgainAt: now + policy.pollEveryMs, release }) as const;
  switch (reading.kind) {
    case "unknown":
      // An unreadable screen tells nothing about the text: its clock starts again.
      return [
        guard.at === "kept" ? guard : CLEAR,
        hold("unknown", `when its screen can be read again (${reading.why})`),
      ];
    case "dialog":
      return [guard, hold("blocked", `when the dialog "${reading.title}" is answered`)];
    case "composer":
      return reading.draft.kind === "empty"
        ? [guard.at === "kept" ? guard : CLEAR, { do: "deliver" }]
        : overDraft(guard, reading.draft, now, policy);
    default:
      return assertNever(reading);
  }
}

function overDraft(
  guard: Guard,
  draft: Extract<DraftReading, { kind: "text" }>,
  now: Instant,
  { staleAfterMs, pollEveryMs, skipWaiting, cannotKeep }: GuardPolicy,
): readonly [Guard, GuardAction] {
  const unchanged = guard.at === "typing" && guard.text === draft.text;
  const unchangedSince = unchanged ? guard.unchangedSince : now;
  const typing: Guard = { at: "typing", text: draft.text, unchangedSince };
  const staleAt = unchangedSince + staleAfterMs;
  const lookAgainAt = now + pollEveryMs;
  if (now < staleAt && !skipWaiting) {
    const release = `when the text in its composer is sent, removed, or unchanged for ${Math.round(staleAfterMs / 1000)} s`;
    return [typing, { do: "hold", reason: "typing", lookAgainAt: Math.min(lookAgainAt, staleAt), release }];
  }
  if (cannotKeep !== undefined) {
    const release = `when the text in its composer is sent or removed (${cannotKeep})`;
    return [typing, { do: "hold", reason: "typing", lookAgainAt, release }];
  }
  return [typing, { do: "keep", draft }];
}
