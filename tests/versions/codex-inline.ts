/** Versions before Codex had a screen of its own. */
export const INLINE: readonly string[] = ["0.153.4"];
