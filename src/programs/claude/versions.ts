/**
 * What the version matrix (`tests/versions`) has proven for each release. Programs update themselves every few days: a
 * release that is unknown or not listed here is handled the careful way, which does not depend on how fast a release
 * does something.
 */
export interface KnownOfClaude {
  /**
   * `in-one-write`: the stash key takes effect before text in the same write. `seen-first`: it may take effect after
   * it, so that the text joins the draft; the composer must be seen empty before anything is typed.
   */
  readonly stash: "in-one-write" | "seen-first";
  /**
   * `several`: U+2028 becomes a newline, and the submit after it works. In earlier releases it stays as it is; 2.1.300
   * turns it into a newline but ignores a submit that follows at once.
   */
  readonly lines: "several" | "one";
}

const CAREFUL: KnownOfClaude = { stash: "seen-first", lines: "one" };

const PROVEN: ReadonlyMap<string, KnownOfClaude> = new Map([
  ["2.1.150", CAREFUL],
  ["2.1.197", CAREFUL],
  ["2.1.224", CAREFUL],
  ["2.1.260", CAREFUL],
  ["2.1.300", { stash: "in-one-write", lines: "one" }],
  ["2.1.325", { stash: "in-one-write", lines: "several" }],
]);

export const PROVEN_CLAUDE_RELEASES: readonly string[] = [...PROVEN.keys()];

export function knownOfClaude(version: string | undefined): KnownOfClaude {
  return (version === undefined ? undefined : PROVEN.get(version)) ?? CAREFUL;
}
