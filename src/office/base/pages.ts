/** Looks at long lists of the store a page at a time: between two of them, everybody else has a turn. */
import type { Clock } from "../../ports/clock.ts";
import { pause } from "./deadline.ts";

export interface Pages<Row> {
  readonly clock: Clock;
  /** Of a page: a shorter one is the last. */
  readonly size: number;
  /** `after`: the last one of the page before. */
  read(after: Row | undefined): readonly Row[];
  /** Nobody wants to know any more. */
  isOver(): boolean;
}

/** The first page is looked at before this returns. */
export async function lookAtPages<Row>(
  { clock, size, read, isOver }: Pages<Row>,
  look: (row: Row) => void,
): Promise<void> {
  for (let after: Row | undefined; ; ) {
    const page = read(after);
    for (const row of page) look(row);
    after = page.at(-1);
    if (page.length < size) return;
    await pause(clock, 0);
    if (isOver()) return;
  }
}
