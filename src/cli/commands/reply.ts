import type { Command } from "../command.ts";
import { messageIdFrom } from "../message-id.ts";
import { finishSending, LATER_OPTIONS, readSaying, readWaiting, SENDING_OPTIONS } from "../sending.ts";

export const reply: Command = {
  name: "reply",
  summary: "answer a message",
  usage: ['reply ID "TEXT" [options]', "reply ID - [options]"],
  options: SENDING_OPTIONS,
  laterOptions: LATER_OPTIONS,
  words: { least: 1, most: 2 },
  examples: [
    { command: 'bellhop reply m7k2q9 "yes, go ahead"', does: "to whoever sent it" },
    { command: "make test 2>&1 | bellhop reply m7k2q9 -", does: "take the text from stdin" },
  ],
  run: async (context, args) => {
    const id = messageIdFrom(args.words[0]);
    const waiting = await readWaiting(args);
    const saying = await readSaying(context, args, 1);
    const sent = await context.ask("reply", { ...saying, id });
    return finishSending(context, sent, waiting);
  },
};
