/** Listeners of a desk: a call after each commit, and slow readers. */
import type { Store } from "../../src/ports/store.ts";
import type { Desk } from "./desk.ts";

/** Calls before the writer continues. */
export function afterEachCommit(desk: Desk, call: () => void): void {
  const write = desk.store.write.bind(desk.store);
  (desk.store as { write: Store["write"] }).write = async (change) => {
    const result = await write(change);
    call();
    return result;
  };
}

/** A reader that answers when the test says so. */
export function slowReader(): { answer(): Promise<"written" | "gone">; read(): void; leave(): void } {
  let answer: (outcome: "written" | "gone") => void = () => {};
  const reading = new Promise<"written" | "gone">((resolve) => {
    answer = resolve;
  });
  return { answer: () => reading, read: () => answer("written"), leave: () => answer("gone") };
}
