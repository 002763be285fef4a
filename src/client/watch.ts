/** One agent's state, queue and holds, now and whenever they change. A daemon that goes away is waited for. */
import { BellhopError } from "../core/errors.ts";
import type { Claims } from "../wire/shapes/messages.ts";
import type { ShownSession } from "../wire/shapes/sessions.ts";
import type { Listening } from "./line.ts";
import { openStream } from "./stream.ts";

export interface WatchEar {
  session(session: ShownSession): void;
  /** Nobody is there; said once for every try. */
  away(): void;
  /** It is there and does not tell: the session is unknown to it, or it is of another version. */
  refused(error: BellhopError): void;
}

const ABSENT: readonly string[] = ["daemon.not_running", "daemon.unreachable", "daemon.stopping"];
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

export function watchSession(
  { socket, claims }: { readonly socket: string; readonly claims: Claims },
  who: string,
  ear: WatchEar,
  pause: (ms: number) => Promise<void>,
): { close(): void } {
  let closed = false;
  let listening: Listening | undefined;
  const once = async (): Promise<"told" | "nothing"> => {
    let heard: "told" | "nothing" = "nothing";
    let ended = (): void => {};
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    listening = await openStream<{ readonly session: ShownSession }>(
      socket,
      { type: "watch", who, claims },
      {
        hear({ session }) {
          heard = "told";
          if (!closed) ear.session(session);
        },
        over: () => ended(),
      },
    );
    if (closed) listening.close();
    else await end;
    return heard;
  };
  const follow = async (): Promise<void> => {
    let wait = FIRST_PAUSE_MS;
    while (!closed) {
      let heard: "told" | "nothing" = "nothing";
      let refusal: BellhopError | undefined;
      try {
        heard = await once();
      } catch (error) {
        if (error instanceof BellhopError && !ABSENT.includes(error.code)) refusal = error;
      }
      if (closed) return;
      if (refusal === undefined) ear.away();
      else ear.refused(refusal);
      wait = heard === "told" ? FIRST_PAUSE_MS : Math.min(wait * 2, LONGEST_PAUSE_MS);
      await pause(wait);
    }
  };
  void follow();
  return {
    close() {
      closed = true;
      listening?.close();
    },
  };
}
