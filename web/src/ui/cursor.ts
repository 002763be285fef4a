/** What has the focus among cards and rows. It outlives a row that is scrolled out of the page. */
import { signal } from "@preact/signals";

export const cursor = signal<string | undefined>(undefined);

export const cardCursor = (id: string) => `card/${id}`;
export const rowCursor = (key: string) => `row/${key}`;

/** What an element needs in order to be stepped to. */
export function cursorProps(name: string) {
  return {
    "data-cursor": name,
    onFocus: () => {
      cursor.value = name;
    },
  };
}

export function focusCursor(name: string): void {
  const all = document.querySelectorAll<HTMLElement>("[data-cursor]");
  const found = [...all].find((element) => element.dataset.cursor === name);
  found?.focus({ preventScroll: name.startsWith("row/") });
}
