/** Which agent is open: the address says so, and the browser's way back closes it. */
import { signal } from "@preact/signals";

const AGENTS = "/agents/";

export const openAgent = signal<string | undefined>(fromAddress());

function fromAddress(): string | undefined {
  const { pathname } = location;
  if (!pathname.startsWith(AGENTS)) return undefined;
  try {
    return decodeURIComponent(pathname.slice(AGENTS.length)) || undefined;
  } catch {
    return undefined;
  }
}

export function addressOf(name: string): string {
  return `${AGENTS}${encodeURIComponent(name)}`;
}

export function goTo(name: string | undefined): void {
  if (name === openAgent.value) return;
  history.pushState(null, "", name === undefined ? "/" : addressOf(name));
  openAgent.value = name;
}

/** It has another name now. */
export function replaceOpen(name: string): void {
  history.replaceState(null, "", addressOf(name));
  openAgent.value = name;
}

export function followAddress(): void {
  addEventListener("popstate", () => {
    openAgent.value = fromAddress();
  });
}
