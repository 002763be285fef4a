import { EXIT } from "../../../core/errors.ts";
import { sanitiseText } from "../../../core/text/sanitise.ts";
import { messageIdFrom } from "../../arguments/message-id.ts";
import type { Command } from "../../command.ts";

export const read: Command = {
  name: "read",
  summary: "print the full text of a message",
  usage: ["read ID"],
  options: {},
  words: { least: 1, most: 1 },
  examples: [{ command: "bellhop read m7k2q9", does: "the text behind a short reference" }],
  run: async ({ ask, claims, out }, args) => {
    const answer = await ask("read", { id: messageIdFrom(args.words[0]), claims: claims() });
    if (out.json) out.value(answer);
    else out.line(sanitiseText(answer.message.body));
    return EXIT.ok;
  },
};
