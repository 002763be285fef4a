/** The state of one agent, or of everyone, now and at every change. If the daemon goes away, waits for it. */
import { BellhopError } from "../core/errors.ts";
import { backoffMs } from "../core/time/backoff.ts";
import type { ShownSession } from "../wire/shapes/sessions.ts";
import type { Claims } from "../wire/verbs/claims.ts";
import type { FollowRequest } from "../wire/verbs/sessions.ts";
import type { Followed } from "../wire/verbs/streams.ts";
import { unixSocket } from "./connect.ts";
import type { Listening } from "./line.ts";
import { isAbsence } from "./patience.ts";
import { openStream } from "./transport/stream.ts";

export interface FollowEar {
  hear(followed: Followed): void;
  /** The daemon is away; called once for every attempt. */
  away(): void;
  /** The daemon refuses: it does not know the session, or is of another version. */
  refused(error: BellhopError): void;
}

const FOLLOW_BACKOFF = { firstMs: 100, longestMs: 2_000 };

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
  return follow(place, { who }, { ...ear, hear }, pause);
}

export function follow(
  { socket, claims }: FollowPlace,
  request: FollowRequest,
  ear: FollowEar,
  pause: (ms: number) => Promise<void>,
): { close(): void } {
  const place = unixSocket(socket);
  let closed = false;
  let listening: Listening | undefined;
  const once = async (): Promise<"told" | "nothing"> => {
    let heard: "told" | "nothing" = "nothing";
    const stream = await openStream(
      place,
      { type: "follow", fields: { ...request }, claims },
      () => ({}),
      (followed) => {
        heard = "told";
        if (!closed) ear.hear(place.named(followed) as unknown as Followed);
      },
    );
    listening = stream;
    if (closed) stream.close();
    await stream.ended;
    return heard;
  };
  const goOn = async (): Promise<void> => {
    let failures = 0;
    while (!closed) {
      let heard: "told" | "nothing" = "nothing";
      let refusal: BellhopError | undefined;
      try {
        heard = await once();
      } catch (error) {
        if (error instanceof BellhopError && !isAbsence(error)) refusal = error;
      }
      if (closed) return;
      if (refusal === undefined) ear.away();
      else ear.refused(refusal);
      failures = heard === "told" ? 0 : failures + 1;
      await pause(backoffMs(FOLLOW_BACKOFF, failures));
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
