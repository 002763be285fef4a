/** How somebody on another host can answer a dialog here: the end of the reason why their keys wait. */

const HOW = "; to answer it, send keys with --dialog ";

export function withHow(release: string, { code, text }: { readonly code: string; readonly text: string }) {
  return `${release}${HOW}${code}. It shows: ${text}`;
}

/** The reason, and the rest of it that says how. What the dialog shows stands only in the rest. */
export function partsOfHow(release: string): readonly [reason: string, how: string] {
  const at = release.indexOf(HOW);
  return at === -1 ? [release, ""] : [release.slice(0, at), release.slice(at)];
}

/** For lists: the code is for whoever sent the keys. */
export function withoutHow(release: string): string {
  const [reason, how] = partsOfHow(release);
  return how.endsWith('"') && reason.includes('"') ? `${reason}"` : reason;
}
