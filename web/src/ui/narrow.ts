/** Whether the page is as narrow as a phone; the style sheet has the same limit. */
import { signal } from "@preact/signals";

const query = matchMedia("(max-width: 720px)");

export const isNarrow = signal(query.matches);
query.addEventListener("change", ({ matches }) => {
  isNarrow.value = matches;
});
