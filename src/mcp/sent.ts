/** The answer of `send_message` and `reply`: the id, and the message's state after its courier's first look. */
import { z } from "zod";
import { recipientInWords } from "../core/cluster/hosts.ts";
import { BellhopError } from "../core/errors.ts";
import { DELIVERY_STATES } from "../core/message.ts";
import { present } from "../core/present.ts";
import { sanitiseLine } from "../core/text/sanitise.ts";
import type { SendResponse, SentDelivery } from "../wire/shapes/messages.ts";
import { held, heldBy } from "./fields.ts";
import type { ToolOutcome, ToolSetting } from "./tool.ts";

/** Lets the answer say why the message waits; it is already stored. */
const FIRST_LOOK_MS = 300;
/** A broadcast may have many deliveries. */
const MOST_SHOWN = 50;

export const DEAD_LETTER_ADVICE = "Do not send the same again to this path.";

export const sentResult = z.object({
  id: z.string().describe("for message_status, and for reply_to"),
  deliveries: z.array(
    z.object({
      to: z.string(),
      state: z.enum(DELIVERY_STATES).describe("queued is fine: it is stored and goes out by itself"),
      held: held.optional().describe("why it waits"),
    }),
  ),
  more_deliveries: z.number().optional(),
  successor: z
    .string()
    .optional()
    .describe("the program of the recipient has ended, and this agent works in its folder"),
});

export async function afterSending(
  sent: SendResponse,
  to: string,
  setting: ToolSetting,
): Promise<ToolOutcome<z.input<typeof sentResult>>> {
  if (sent.unmatched) throw nobody(sent, to);
  const deliveries = await firstLook(sent, setting);
  const shown = deliveries
    .slice(0, MOST_SHOWN)
    .map((one) => ({ to: sanitiseLine(recipientInWords(one)), state: one.state, ...heldBy(one.hold) }));
  return {
    value: {
      id: sent.shortId,
      deliveries: shown,
      ...(deliveries.length > shown.length ? { more_deliveries: deliveries.length - shown.length } : {}),
      ...present({ successor: sent.successor }),
    },
    text: [
      `Message #${sent.shortId} is stored.`,
      ...shown.map(spoken),
      ...(sent.successor === undefined
        ? []
        : [`"${sent.successor}" runs in the same folder: it may be the one you mean.`]),
    ].join("\n"),
  };
}

/** If nothing more can be learned, what was known at acceptance still holds. */
async function firstLook(sent: SendResponse, setting: ToolSetting): Promise<readonly SentDelivery[]> {
  try {
    const look = { id: sent.messageId, timeoutMs: FIRST_LOOK_MS };
    return (await setting.call("verdict", look)).deliveries;
  } catch {
    return sent.deliveries;
  }
}

type ToldDelivery = z.input<typeof sentResult>["deliveries"][number];

function spoken({ to, state, held: why }: ToldDelivery): string {
  return why === undefined
    ? `${to}: ${state}`
    : `${to}: ${state}, held (${why.reason}), goes out ${why.release}`;
}

export function nobody(
  { shortId, reason }: Pick<SendResponse, "shortId" | "reason">,
  to: string,
): BellhopError {
  const why = reason === undefined ? "" : ` (${sanitiseLine(reason, 200)})`;
  return new BellhopError("recipient.unknown", {
    message: `Nobody takes messages to "${sanitiseLine(to, 80)}"${why}; #${shortId} is kept as a dead letter.`,
    next: DEAD_LETTER_ADVICE,
  });
}
