/** Where the person is: the address says so, and the browser's way back goes back. */
import { computed, signal } from "@preact/signals";
import { addressOf, HOME, type Place, placeIn } from "./place.ts";

export const place = signal<Place>(placeIn(location));

export const openAgent = computed(() => (place.value.at === "agent" ? place.value.name : undefined));

export function goTo(to: Place = HOME): void {
  if (addressOf(to) === addressOf(place.peek())) return;
  history.pushState(null, "", addressOf(to));
  place.value = to;
}

/** The open agent has another name now. */
export function replaceOpen(name: string): void {
  const was = place.peek();
  const now: Place = was.at === "agent" ? { ...was, name } : { at: "agent", name };
  history.replaceState(null, "", addressOf(now));
  place.value = now;
}

/** What the address asked for is done. */
export function stayHome(): void {
  history.replaceState(null, "", addressOf(HOME));
  place.value = HOME;
}

export function followAddress(): void {
  addEventListener("popstate", () => {
    place.value = placeIn(location);
  });
}
