/** Where the person is: the address says so, and the browser's way back goes back. */
import { computed, signal } from "@preact/signals";
import { addressOf, HOME, type Place, placeIn } from "./place.ts";

export const place = signal<Place>(placeIn(location));

export const openAgent = computed(() => agentAt(place.value));

function agentAt(where: Place): string | undefined {
  return where.at === "agent" ? where.name : undefined;
}

/** Grows with each agent that is opened or left; not if the open one only has another name. */
export const visit = signal(0);

function become(to: Place): void {
  if (agentAt(to) !== agentAt(place.peek())) visit.value += 1;
  place.value = to;
}

export function goTo(to: Place = HOME): void {
  if (addressOf(to) === addressOf(place.peek())) return;
  history.pushState(null, "", addressOf(to));
  become(to);
}

/** The open agent has another name now. `anew`: what is open does not stay as it is. */
export function replaceOpen(name: string, how: "as-it-is" | "anew" = "as-it-is"): void {
  const was = place.peek();
  const now: Place = was.at === "agent" ? { ...was, name } : { at: "agent", name };
  history.replaceState(null, "", addressOf(now));
  if (how === "anew") visit.value += 1;
  place.value = now;
}

/** What the address asked for is done. */
export function stayHome(): void {
  history.replaceState(null, "", addressOf(HOME));
  become(HOME);
}

export function followAddress(): void {
  addEventListener("popstate", () => {
    become(placeIn(location));
  });
}
