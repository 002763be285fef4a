/** The state of one agent, or everything, now and at every change. If the daemon goes away, waits for it. */
import type { BoardTopic } from "../core/board.ts";
import { BellhopError } from "../core/errors.ts";
import { backoffMs } from "../core/time/backoff.ts";
import { toCamel } from "../wire/casing.ts";
import type { Board } from "../wire/shapes/board.ts";
import type { ShownSession } from "../wire/shapes/sessions.ts";
import type { Claims } from "../wire/verbs/claims.ts";
import type { Followed } from "../wire/verbs/streams.ts";
import { BoardPicture } from "./board.ts";
import { unixSocket } from "./connect.ts";
import type { Listening } from "./line.ts";
import { isAbsence } from "./patience.ts";
import type { Fields, Request } from "./transport/connection.ts";
import { openStream } from "./transport/stream.ts";
import { boardFrameFrom } from "./unix-line.ts";

export interface FollowEar<Heard> {
  hear(heard: Heard): void;
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
  { session, ...ear }: Omit<FollowEar<never>, "hear"> & { session(session: ShownSession): void },
  pause: (ms: number) => Promise<void>,
): { close(): void } {
  const opened = () => (push: Fields) => session((toCamel(push) as Followed).session);
  return follow(place, { type: "follow", fields: { who } }, opened, ear, pause);
}

/** `hear` gets the whole board at every change. */
export function followBoard(
  place: FollowPlace,
  topics: readonly BoardTopic[],
  { hear, ...ear }: FollowEar<Board>,
  pause: (ms: number) => Promise<void>,
): { close(): void } {
  const opened = (again: () => void) => {
    const picture = new BoardPicture();
    return (push: Fields): void => {
      const board = picture.hear(boardFrameFrom(push));
      if (board === "gap") again();
      else hear(board);
    };
  };
  return follow(place, { type: "watch_all", fields: { topics } }, opened, ear, pause);
}

/** `opened`: how to hear what comes over a new connection; its argument makes it begin anew. */
function follow(
  { socket, claims }: FollowPlace,
  request: Pick<Request, "type" | "fields">,
  opened: (again: () => void) => (push: Fields) => void,
  ear: Omit<FollowEar<never>, "hear">,
  pause: (ms: number) => Promise<void>,
): { close(): void } {
  const place = unixSocket(socket);
  let closed = false;
  let listening: Listening | undefined;
  const once = async (): Promise<"told" | "nothing"> => {
    let heard: "told" | "nothing" = "nothing";
    const hear = opened(() => listening?.close());
    const stream = await openStream(place, { ...request, claims }, () => ({}), {
      hear(push) {
        heard = "told";
        if (!closed) hear(push);
      },
    });
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
