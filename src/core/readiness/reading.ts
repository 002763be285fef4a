/** What a profile reads from a screen. Unknown is not safe: it counts as "someone is typing". */

export type DraftReading =
  | { readonly kind: "empty" }
  /** What could be read of the person's unsent text; a screen loses details, so `exact` is rare. */
  | { readonly kind: "text"; readonly text: string; readonly exact: boolean; readonly lines: number };

export type Reading =
  /**
   * `busy`: it cannot be typed into but shows that it works; some programs hide their prompt meanwhile.
   * `asks`: the lines of a question that Bellhop must not touch.
   */
  | { readonly kind: "unknown"; readonly why: string; readonly busy?: "busy"; readonly asks?: string }
  /** A permission, picker or trust dialog. The same dialog gives the same fingerprint. */
  | { readonly kind: "dialog"; readonly fingerprint: string; readonly title: string }
  | {
      readonly kind: "composer";
      readonly draft: DraftReading;
      /** `background`: only its sub-agents still work. `unseen`: this screen shows no sign either way. */
      readonly busy: "busy" | "background" | "idle" | "unseen";
      /** The program says itself that it waits for its user; not only that it shows no work. */
      readonly saysReady?: true;
      /** Whether the program keeps a draft in its own stash; `unsure`: its sign may be covered. */
      readonly stash: "shown" | "none" | "unsure";
      readonly caret: { readonly x: number; readonly y: number };
    };

export function showsWork(reading: Reading): boolean {
  return reading.kind !== "dialog" && (reading.busy === "busy" || reading.busy === "background");
}
