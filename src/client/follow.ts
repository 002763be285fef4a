/** How one agent stands, or everybody, now and whenever that changes. A daemon that goes away is waited for. */
import { BellhopError } from "../core/errors.ts";
import type { ShownSession } from "../wire/shapes/sessions.ts";
import type { Claims } from "../wire/verbs/claims.ts";
import type { FollowRequest } from "../wire/verbs/sessions.ts";
import type { Followed } from "../wire/verbs/streams.ts";
import type { Listening } from "./line.ts";
import { openStream } from "./stream.ts";

export interface FollowEar {
  hear(followed: Followed): void;
  /** Nobody is there; said once for every try. */
  away(): void;
  /** It is there and does not tell: the session is unknown to it, or it is of another version. */
  refused(error: BellhopError): void;
}

const ABSENT: readonly string[] = ["daemon.not_running", "daemon.unreachable", "daemon.stopping"];
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

interface FollowPlace {
  readonly socket: string;
  readonly claims: Claims;
}

export function followSession(
  place: FollowPlace,
  who: string,
  { session, ...ear }: Omit<FollowEar, "hear"> & { session(session: ShownSession): void },
  pause: (ms: number) => Promise<void>,
): { close(): void } {
  const hear = (followed: Followed): void => {
    if ("session" in followed) session(followed.session);
  };
  return follow(
    place,
    { who },
    { hear, away: () => ear.away(), refused: (error) => ear.refused(error) },
    pause,
  );
}

export function follow(
  { socket, claims }: FollowPlace,
  request: FollowRequest,
  ear: FollowEar,
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
    listening = await openStream<Followed>(
      socket,
      { type: "follow", ...request, claims },
      {
        hear(followed) {
          heard = "told";
          if (!closed) ear.hear(followed);
        },
        over: () => ended(),
      },
    );
    if (closed) listening.close();
    else await end;
    return heard;
  };
  const goOn = async (): Promise<void> => {
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
  void goOn();
  return {
    close() {
      closed = true;
      listening?.close();
    },
  };
}
