import { assertNever } from "../errors.ts";
import type { Instant } from "../message.ts";
import type { DraftReading, Reading } from "./reading.ts";

/**
 * The input guard of one terminal: may we type now, and what happens to a person's unsent text.
 *
 *            text seen                unchanged for staleAfterMs
 *   clear ───────────────▶ typing ───────────────────────────────▶ (keep, deliver) ─▶ kept
 *     ▲                     │  ▲                                                        │
 *     │  composer empty     │  └── the text changed: the clock starts again             │ stands there again
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
  /** Go through the final gate. */
  | { readonly do: "deliver" }
  /** Set the text aside the profile's way, then deliver. */
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
  /** `interrupt` and `queue now` do not wait for the text to go stale. */
  readonly skipWaiting: boolean;
  /** Why the program offers no safe way to set a draft aside; absent where it does. */
  readonly cannotKeep: string | undefined;
}

export type GuardEvent =
  | { readonly kind: "reading"; readonly reading: Reading; readonly now: Instant }
  | { readonly kind: "kept"; readonly text: string; readonly now: Instant }
  | { readonly kind: "restored" }
  /** The terminal's own gate saw a person's key that the reading did not show. */
  | { readonly kind: "refused"; readonly now: Instant };

/** After a refusal by the gate: soon, because a person's pause may be short. */
export const RETRY_AFTER_REFUSAL_MS = 700;

export function guardStep(
  guard: Guard,
  event: GuardEvent,
  policy: GuardPolicy,
): readonly [Guard, GuardAction] {
  switch (event.kind) {
    case "reading":
      return onReading(guard, event.reading, event.now, policy);
    case "kept":
      return [{ at: "kept", text: event.text, keptAt: event.now }, { do: "deliver" }];
    case "restored":
      return [CLEAR, { do: "deliver" }];
    case "refused":
      return [
        guard,
        {
          do: "hold",
          reason: "typing",
          lookAgainAt: event.now + RETRY_AFTER_REFUSAL_MS,
          release: "when nobody has pressed a key there for two seconds",
        },
      ];
    default:
      return assertNever(event);
  }
}

function onReading(
  guard: Guard,
  reading: Reading,
  now: Instant,
  policy: GuardPolicy,
): readonly [Guard, GuardAction] {
  const lookAgainAt = now + policy.pollEveryMs;
  switch (reading.kind) {
    case "unknown":
      // An unreadable screen proves nothing about the text: its clock does not run on, it starts again.
      return [
        guard.at === "kept" ? guard : CLEAR,
        {
          do: "hold",
          reason: "unknown",
          lookAgainAt,
          release: `when its screen can be read again (${reading.why})`,
        },
      ];
    case "dialog":
      return [
        guard,
        {
          do: "hold",
          reason: "blocked",
          lookAgainAt,
          release: `when the dialog "${reading.title}" is answered`,
        },
      ];
    case "composer":
      return onComposer(guard, reading.draft, now, policy);
    default:
      return assertNever(reading);
  }
}

function onComposer(
  guard: Guard,
  draft: DraftReading,
  now: Instant,
  policy: GuardPolicy,
): readonly [Guard, GuardAction] {
  if (draft.kind === "empty") return [guard.at === "kept" ? guard : CLEAR, { do: "deliver" }];
  const unchanged = guard.at === "typing" && guard.text === draft.text;
  const unchangedSince = unchanged ? guard.unchangedSince : now;
  const typing: Guard = { at: "typing", text: draft.text, unchangedSince };
  const staleAt = unchangedSince + policy.staleAfterMs;
  if (now < staleAt && !policy.skipWaiting) {
    return [
      typing,
      {
        do: "hold",
        reason: "typing",
        lookAgainAt: Math.min(now + policy.pollEveryMs, staleAt),
        release: `when the text in its composer is sent, removed, or unchanged for ${Math.round(policy.staleAfterMs / 1000)} s`,
      },
    ];
  }
  if (policy.cannotKeep !== undefined) {
    return [
      typing,
      {
        do: "hold",
        reason: "typing",
        lookAgainAt: now + policy.pollEveryMs,
        release: `when the text in its composer is sent or removed (${policy.cannotKeep})`,
      },
    ];
  }
  return [typing, { do: "keep", draft }];
}
