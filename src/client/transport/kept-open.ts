import { unreachable } from "./failures.ts";

/** One connection for all questions: opened on first use, and again after a loss. */
export function keptOpen<One extends { readonly ended: Promise<unknown>; close(): void }>(
  open: () => Promise<One>,
): { get(): Promise<One>; readonly open: One | undefined; close(): void } {
  let current: Promise<One> | undefined;
  let ready: One | undefined;
  let closed = false;
  const forget = (): void => {
    current = undefined;
    ready = undefined;
  };
  return {
    async get() {
      if (closed) throw unreachable("This client was closed.");
      if (current === undefined) {
        current = open();
        current
          .then((one) => {
            if (!closed) ready = one;
            return one.ended.then(forget);
          })
          .catch(forget);
      }
      return current;
    },
    /** Without waiting, if it is open. */
    get open() {
      return ready;
    },
    close() {
      closed = true;
      ready = undefined;
      current?.then((one) => one.close()).catch(() => {});
    },
  };
}
