/** One delivery as the conversation of an agent shows it. Read-only; `history` asks it. */
import { present } from "../../core/present.ts";
import { sanitiseText } from "../../core/text/sanitise.ts";
import type { Item, StoreReader } from "../../ports/store.ts";
import type { TimelineEntry } from "../../wire/shapes/messages.ts";
import { queuedDelivery } from "./shown.ts";

/** Enough for the few lines that a row has. */
const PREVIEW = 280;

export function timelineEntry(item: Item, read: StoreReader): TimelineEntry {
  const { delivery, message } = item;
  const { body, source, bound, form, replyTo } = message;
  const { transport, evidence, sequence, queuedAt, possibleDuplicate } = delivery;
  return {
    ...queuedDelivery(item),
    number: sequence,
    changedAt: read.receiptsOf(delivery.id).at(-1)?.at ?? queuedAt,
    preview: [...sanitiseText(body.slice(0, PREVIEW * 4))].slice(0, PREVIEW).join(""),
    characters: body.length,
    source,
    ...present({ bound, transport, evidence }),
    ...present({ re: replyTo === undefined ? undefined : read.message(replyTo)?.shortId }),
    ...(form.kind === "raw" ? { raw: true } : {}),
    ...(possibleDuplicate ? { possibleDuplicate: true } : {}),
  };
}
