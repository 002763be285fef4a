import { unreachable } from "./failures.ts";

/** One connection for all questions: opened on first use, and again after a loss. */
export function keptOpen<One extends { readonly ended: Promise<unknown>; close(): void }>(
  open: () => Promise<One>,
): { get(): Promise<One>; close(): void } {
  let current: Promise<One> | undefined;
  let closed = false;
  const forget = (): void => {
    current = undefined;
  };
  return {
    async get() {
      if (closed) throw unreachable("This client was closed.");
      if (current === undefined) {
        current = open();
        current.then((one) => one.ended.then(forget)).catch(forget);
      }
      return current;
    },
    close() {
      closed = true;
      current?.then((one) => one.close()).catch(() => {});
    },
  };
}
