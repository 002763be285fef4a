/** Which rows are shown, as the person asked for them. */
import { computed, signal } from "@preact/signals";
import { agents } from "../board/store.ts";
import { filtered, GROUPINGS, type Grouping, grouped, rowsOf } from "./rows.ts";

const KEPT = "bellhop-grouping";

export const filter = signal("");
export const grouping = signal<Grouping>(kept());

export const allRows = computed(() => agents.value.flatMap(rowsOf));
const found = computed(() => filtered(allRows.value, filter.value));
export const foundCount = computed(() => found.value.length);
export const rows = computed(() => grouped(found.value, grouping.value, allRows.value));

function kept(): Grouping {
  const word = localStorage.getItem(KEPT);
  return GROUPINGS.find((one) => one === word) ?? "folder";
}

export function groupBy(chosen: Grouping): void {
  grouping.value = chosen;
  localStorage.setItem(KEPT, chosen);
}
