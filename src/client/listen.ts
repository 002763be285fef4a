/** Listening as a loop: `for await (const message of bellhop.listen("coder"))`. It resumes after a restart. */
import type { BrokerMessage } from "../wire/shapes/broker.ts";
import { hearPatiently } from "./hearing.ts";
import type { Line, Opened, Whose } from "./line.ts";
import type { Patience } from "./patience.ts";

export interface ListenOptions {
  /**
   * Takes each message, beginning with those already waiting: after a gap nothing is missed, and what may have been
   * seen before says `redelivered`. Without it, only messages that arrive meanwhile are heard, and nothing changes.
   */
  readonly consume?: boolean;
  readonly signal?: AbortSignal;
}

export const MOST_HEARD = 256;

export function listenPatiently(
  line: Line,
  whose: Whose,
  options: ListenOptions,
  patience: Patience,
  closed: AbortSignal,
): AsyncIterableIterator<BrokerMessage> {
  let last: Opened | undefined;
  return hearPatiently({
    async open(ear) {
      // After a restart, another agent may have the name that was listened to first.
      const since = last?.agentSince === undefined ? {} : { agentSince: last.agentSince };
      last = await line.listen({ ...whose, consume: options.consume === true, ...since }, ear);
      return last;
    },
    most: MOST_HEARD,
    patience,
    leaving: [closed, ...(options.signal === undefined ? [] : [options.signal])],
  });
}
