/** Which files a session file shows as opened: a tool was called with the path, and its answer holds the text. */
import type { SoughtText } from "../../ports/transcript.ts";
import type { ToolSign } from "./reader.ts";

/** Reads newest first, so a tool's answer comes before its call. */
export class OpeningSearch {
  readonly #sought: readonly SoughtText[];
  readonly #shown = new Map<string, readonly SoughtText[]>();
  readonly opened = new Set<string>();

  constructor(sought: readonly SoughtText[]) {
    this.#sought = sought;
  }

  get isOver(): boolean {
    return this.opened.size === this.#sought.length;
  }

  see(sign: ToolSign): void {
    if (sign.kind === "answered") {
      const shown = this.#sought.filter(({ id, shows }) => !this.opened.has(id) && shows(sign.answer));
      if (shown.length > 0) this.#shown.set(sign.id, shown);
      return;
    }
    for (const { id, files } of this.#shown.get(sign.id) ?? [])
      if (files.some((file) => sign.input.includes(file))) this.opened.add(id);
  }
}
