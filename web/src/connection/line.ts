/** What a room needs of the page's one connection for requests of its own, without knowing who made the connection. */

export type Frame = Readonly<Record<string, unknown>>;

export interface Line {
  /** Frames of exactly this type that are not the connection's own. Returns how to end it. */
  hear(type: string, hear: (frame: Frame) => void): () => void;
  /** False, and nothing is sent, unless the page is live. */
  say(frame: object): boolean;
  /** Now if the page is live, and each time it is live on a new socket, where nothing has been asked yet. Returns how to end it. */
  onLive(act: () => void): () => void;
}

let bound: Line | undefined;

/** Once, before anything is drawn. */
export function bindLine(to: Line): void {
  bound = to;
}

export const line: Line = {
  hear: (type, hear) => theLine().hear(type, hear),
  say: (frame) => theLine().say(frame),
  onLive: (act) => theLine().onLive(act),
};

function theLine(): Line {
  if (bound === undefined) throw new Error("A room used the line before the page had one.");
  return bound;
}
