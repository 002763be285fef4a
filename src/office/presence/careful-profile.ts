/**
 * A profile for a release on which it was never proven. What it reads and types stays the same, because nothing else is
 * known; but Bellhop relies on less of it. Pure.
 */
import type { Injection, Profile } from "../../ports/profile.ts";

/** `shellUnder`: what the program does not read goes to a shell. */
export function carefulProfile(profile: Profile, shellUnder: boolean): Profile {
  return {
    ...profile,
    // A key that closed a dialog of another release may answer one of this release.
    dismiss: undefined,
    // What has to be seen after the key may look different: 2.1.326 of Claude Code says "draft stashed" elsewhere.
    draftKeeping: (version, reading) =>
      reading === undefined ? profile.draftKeeping(version) : { how: "none", why: TEXT_STAYS },
    // Over a shell, text without its submit could be left on the shell's line, for the person's next Enter to run.
    inject: (prompt, over) => {
      const injection = profile.inject(prompt, over);
      return shellUnder ? injection : seenFirst(injection);
    },
  };
}

const TEXT_STAYS = "its release is unproven, so that no text in its composer is moved";

/** The submit is a second step, and is pressed only where our text was seen in the composer. */
function seenFirst(injection: Injection): Injection {
  const { strokes, submit, submitDelayMs = 0 } = injection;
  if (submit !== undefined) return { strokes, submit, submitDelayMs };
  const last = strokes.at(-1);
  if (last === undefined || last.kind === "paste" || strokes.length === 1) return injection;
  return { strokes: strokes.slice(0, -1), submit: [last], submitDelayMs };
}
