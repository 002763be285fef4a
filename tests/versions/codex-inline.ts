/** Versions before Codex had a screen of its own: 0.156.1 is the last, 0.157.0 the first that has one. */
export const INLINE: readonly string[] = ["0.153.4"];
