/** Shows one mailbox owner to whoever looks at him, now and whenever something about him changes. It changes nothing. */

import type { ShownSession } from "../wire/shapes/sessions.ts";
import type { Streams } from "../wire/shapes.ts";
import type { OfficeContext } from "./context.ts";
import type { Directory } from "./directory.ts";
import type { Queries } from "./queries.ts";
import type { StateWatch } from "./state-watch.ts";

/** Many changes of one moment are one picture. */
const PAUSE_MS = 100;
/** A silent screen becomes idle without anything happening. */
const LOOK_EVERY_MS = 2_000;

export async function watch(
  parts: {
    readonly context: OfficeContext;
    readonly directory: Directory;
    readonly queries: Queries;
    readonly states: StateWatch;
  },
  { who }: { readonly who: string },
  push: (session: ShownSession) => void,
): ReturnType<Streams["watch"]> {
  const { context, queries, states } = parts;
  let shown = "";
  let cancel: (() => void) | undefined;
  let open = true;
  const look = (): void => {
    cancel = undefined;
    if (!open) return;
    const now = queries.session(who);
    const text = JSON.stringify(now);
    if (text !== shown) push(now);
    shown = text;
    cancel = context.clock.after(LOOK_EVERY_MS, look);
  };
  const soon = (): void => {
    cancel?.();
    cancel = context.clock.after(PAUSE_MS, look);
  };
  look();
  const stop = states.follow(soon);
  return {
    close() {
      open = false;
      cancel?.();
      stop();
    },
  };
}
