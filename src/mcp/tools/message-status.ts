import { z } from "zod";
import { recipientInWords } from "../../core/cluster/hosts.ts";
import { DELIVERY_STATES, EVIDENCE } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import { held, heldBy, isoTime, messageIdFrom } from "../fields.ts";
import { defineTool } from "../tool.ts";

const MOST_SHOWN = 50;

const shownDelivery = z.object({
  to: z.string(),
  state: z.enum(DELIVERY_STATES),
  held: held.optional(),
  evidence: z.enum(EVIDENCE).optional().describe("what proves that it arrived"),
  because: z.array(z.string()),
});

export const messageStatus = defineTool({
  name: "message_status",
  title: "See what became of a message",
  description: `What became of a message: queued (waits, and why), delivering, delivered, read (the turn with it has ended), replied, unconfirmed (handed over, nothing proves it), or expired, cancelled, failed (it will not arrive). Use it when it matters whether a message got through. An answer needs no polling: it comes to you by itself.
Returns where it stands with each recipient, and why. No deliveries: it had no recipient and is a dead letter.
Example: {"id":"m7k2q9"}`,
  effect: "looks",
  reach: "here",
  input: z.strictObject({
    id: z
      .string()
      .min(1)
      .describe("The id that send_message or reply returned, or the one after # in a header."),
  }),
  output: z.object({
    id: z.string(),
    from: z.string(),
    to: z.string(),
    sent_at: z.string(),
    deliveries: z.array(shownDelivery),
    more_deliveries: z.number().optional(),
  }),
  run: async (input, setting) => {
    const id = messageIdFrom(input.id);
    const shown = await setting.call("show", { id });
    const { message } = shown;
    const explained = await setting.call("explain", { id: message.id });
    const deliveries = shown.deliveries.slice(0, MOST_SHOWN).map((delivery) => ({
      to: sanitiseLine(recipientInWords(delivery)),
      state: delivery.state,
      ...heldBy(delivery.hold),
      ...present({ evidence: delivery.evidence }),
      because: explained.deliveries
        .filter((one) => one.id === delivery.id)
        .flatMap(({ because }) => because.map((sentence) => sanitiseLine(sentence))),
    }));
    const left = shown.deliveries.length - deliveries.length;
    return {
      value: {
        id: message.shortId,
        from: sanitiseLine(message.from),
        to: sanitiseLine(message.to),
        sent_at: isoTime(message.createdAt),
        deliveries,
        ...(left > 0 ? { more_deliveries: left } : {}),
      },
      text: [
        `#${message.shortId} from ${sanitiseLine(message.from)} to ${sanitiseLine(message.to)}`,
        ...(deliveries.length === 0 ? ["It had no recipient: it is a dead letter."] : []),
        ...deliveries.map(({ to, state, because }) => `${to}: ${state}. ${because.join(" ")}`),
      ].join("\n"),
    };
  },
});
