/** Opens one listener: finds the mailbox, and lets it hear or take. The doors call it and close it. */
import { BellhopError } from "../core/errors.ts";
import type { ListenRequest } from "../wire/shapes/broker.ts";
import type { Streams } from "../wire/shapes.ts";
import type { OfficeContext } from "./context.ts";
import { type Listeners, MOST_LISTENERS, type Push } from "./listeners.ts";
import type { Mailboxes } from "./mailboxes.ts";

export async function listen(
  parts: {
    readonly context: OfficeContext;
    readonly mailboxes: Mailboxes;
    readonly listeners: Listeners;
  },
  request: ListenRequest,
  push: Push,
): ReturnType<Streams["listen"]> {
  const { mailboxes, listeners } = parts;
  const { address, agent } = mailboxes.meant(request);
  if (listeners.count >= MOST_LISTENERS) {
    throw new BellhopError("listener.too_many", {
      message: `${MOST_LISTENERS} listeners are open already.`,
      next: "Close some and try again.",
    });
  }
  const heard = request.consume === true ? listeners.consume(address, push) : listeners.hear(address, push);
  return { agent, ...(request.session === undefined ? {} : { session: request.session }), ...heard };
}
