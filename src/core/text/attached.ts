/** Files that come with a message: what they are called on this machine, and how the agent is told of them. Pure. */

export const ATTACHED_LIMITS = {
  files: 8,
  /** All of one message together. */
  bytes: 4 * 1024 * 1024,
  nameCharacters: 80,
} as const;

/**
 * The agent reads the path in its prompt and types it into commands: letters, digits, dot, hyphen and underscore, no dot
 * or hyphen in front. A name in another script loses its letters and keeps its ending.
 */
export function attachedName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? "";
  const plain = last
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/\.{2,}/g, ".");
  const dot = plain.lastIndexOf(".");
  const [stem, ending] = dot <= 0 ? [plain, ""] : [plain.slice(0, dot), plain.slice(dot).slice(0, 16)];
  const name = stem.replace(/^[.-]+/, "").replace(/[.-]+$/, "");
  return `${(name || "file").slice(0, ATTACHED_LIMITS.nameCharacters - ending.length)}${ending === "." ? "" : ending}`;
}

/** A line stays one line, so that a short message with a file is still typed as it is. */
export function withAttached(body: string, paths: readonly string[]): string {
  if (paths.length === 0) return body;
  const text = body.trimEnd();
  return `${text}${text.includes("\n") ? "\n" : " "}[attached: ${paths.join(" ")}]`;
}
