/**
 * Which requests the service worker answers. Pure. It knows the files of one build and nothing else: what the daemon says
 * is never kept, and a page that asks for it asks the daemon.
 */
export interface Wanted {
  readonly method: string;
  /** As the browser says it: `navigate` for a page, which is a `document` unless another page embeds it. */
  readonly mode: string;
  readonly destination: string;
  readonly url: string;
}

export interface Shell {
  readonly origin: string;
  /** The paths of the build's files. */
  readonly files: readonly string[];
}

/** `page`: the page itself, whatever its address. `file`: one of its files. `elsewhere`: none of our business. */
export type Way =
  | { readonly kind: "page" }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "elsewhere" };

const ELSEWHERE: Way = { kind: "elsewhere" };

export function wayOf({ method, mode, destination, url }: Wanted, { origin, files }: Shell): Way {
  const { origin: theirs, pathname, search } = new URL(url);
  if (method !== "GET" || theirs !== origin) return ELSEWHERE;
  if (mode === "navigate") return destination === "document" ? { kind: "page" } : ELSEWHERE;
  return search === "" && files.includes(pathname) ? { kind: "file", path: pathname } : ELSEWHERE;
}

const PREFIX = "bellhop-shell-";

export function cacheName(version: string): string {
  return `${PREFIX}${version}`;
}

/** Those of other builds. */
export function outdated(names: readonly string[], version: string): readonly string[] {
  return names.filter((name) => name.startsWith(PREFIX) && name !== cacheName(version));
}

export interface Answered {
  readonly status: number;
  readonly type: string;
  readonly redirected: boolean;
}

/** An error, or what another server says, is not kept. */
export function isKept({ status, type, redirected }: Answered): boolean {
  return status === 200 && type === "basic" && !redirected;
}
