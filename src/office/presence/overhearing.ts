/** Listens to a session's signals beside its work. Whoever gave one may have keys in the terminal: what fails here is not its concern. */
import type { Signal } from "../../core/readiness/readiness.ts";
import type { OfficeContext } from "../base/context.ts";
import type { LiveSession } from "./live-session.ts";

export function overhear(
  session: LiveSession,
  { log }: Pick<OfficeContext, "log">,
  heard: (signal: Signal) => void,
): () => void {
  return session.onSignal((signal) => {
    try {
      heard(signal);
    } catch (cause) {
      log.error("turn.unseen", { session: session.record.id, cause: String(cause) });
    }
  });
}
