/** The half of the login that the page keeps; the other half is a cookie that no script can read. */
const KEY = "bellhop-key";

export function storedKey(): string | undefined {
  return localStorage.getItem(KEY) ?? undefined;
}

export function keepKey(key: string): void {
  localStorage.setItem(KEY, key);
}

/** The code of a login link; it is taken out of the address, so that neither history nor pictures show it. */
export function takeCode(): string | undefined {
  const code = location.hash.slice(1);
  if (code === "") return undefined;
  history.replaceState(null, "", location.pathname + location.search);
  return code;
}

export function forgetKey(): void {
  localStorage.removeItem(KEY);
}

/** Somebody pasted a link, or only its code. */
export function codeIn(pasted: string): string {
  return pasted.trim().replace(/^.*#/s, "");
}
