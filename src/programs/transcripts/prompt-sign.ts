/** Somebody's text in a session file. */
export interface Sighting {
  /** `withdrawn`: it had been queued, and somebody took it back before it was read. */
  readonly as: "turn" | "queued" | "withdrawn";
  /** Its pieces: what an editor adds stands in one of its own. */
  readonly texts: readonly string[];
}
