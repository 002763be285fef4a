/** How rooms ask for what the board does not hold: not too often, and again if no answer came. */
import { computed, effect, signal, untracked } from "@preact/signals";
import { AskingAgain } from "../connection/asking-again.ts";
import type { Answer } from "../connection/requests.ts";
import { TryingAgain } from "../connection/trying-again.ts";
import { isLive } from "./store.ts";

/** Long enough for a burst of changes, too short to be noticed. */
const PAUSE_MS = 400;

const isSeen = signal(!document.hidden);
document.addEventListener("visibilitychange", () => {
  isSeen.value = !document.hidden;
});
const isReady = computed(() => isLive.value && isSeen.value);

function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}

function whenReady(act: () => void): () => void {
  let isOver = false;
  return effect(() => {
    if (!isReady.value || isOver) return;
    isOver = true;
    // What it reads is nothing to this.
    untracked(act);
  });
}

export function tryingAgain(ask: () => void): TryingAgain {
  return new TryingAgain({ ask, after, whenReady, random: () => Math.random() });
}

/** `pauseMs`: longer for what costs the daemon more. */
export function askingAgain(
  ask: () => Promise<Answer<unknown>>,
  pauseMs = PAUSE_MS,
): Pick<AskingAgain, "changed" | "end"> {
  const asking = new AskingAgain({ ask: async () => trying.told(await ask()), pauseMs, after });
  const trying = tryingAgain(() => asking.changed());
  return {
    changed: () => asking.changed(),
    end: () => {
      asking.end();
      trying.end();
    },
  };
}
