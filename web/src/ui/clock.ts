/** What time it is, for "how long ago". Moves every few seconds while the page is seen, and stands still otherwise. */
import { signal } from "@preact/signals";

const EVERY_MS = 15_000;

export const now = signal(Date.now());

export function startClock(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tick = () => {
    clearTimeout(timer);
    if (document.hidden) return;
    now.value = Date.now();
    timer = setTimeout(tick, EVERY_MS);
  };
  document.addEventListener("visibilitychange", tick);
  tick();
}
