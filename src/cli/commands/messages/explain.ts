import { EXIT } from "../../../core/errors.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import { messageIdFrom } from "../../arguments/message-id.ts";
import type { Command } from "../../command.ts";

export const explain: Command = {
  name: "explain",
  summary: "say why a message waits and what would release it",
  usage: ["explain ID"],
  options: {},
  words: { least: 1, most: 1 },
  examples: [{ command: "bellhop explain m7k2q9", does: "why is it not there yet?" }],
  run: async ({ ask, out }, args) => {
    const explained = await ask("explain", { id: messageIdFrom(args.words[0]) });
    if (out.json) {
      out.value(explained);
      return EXIT.ok;
    }
    for (const { to, state, because } of explained.deliveries) {
      out.line(`#${explained.shortId} for ${sanitiseLine(to)}: ${out.paint("bold", state)}`);
      for (const sentence of because) out.line(`  ${sanitiseLine(sentence)}`);
    }
    if (explained.deliveries.length === 0) out.line(`#${explained.shortId} has no recipient.`);
    return EXIT.ok;
  },
};
