import { messageIdFrom } from "../../arguments/message-id.ts";
import type { Command } from "../../command.ts";
import { finishSending, readSaying, readWaiting, SENDING_OPTIONS } from "../../sending.ts";

export const reply: Command = {
  name: "reply",
  summary: "answer a message",
  usage: ['reply ID "TEXT" [options]', "reply ID - [options]"],
  options: SENDING_OPTIONS,
  words: { least: 1, most: 2 },
  examples: [
    { command: 'bellhop reply m7k2q9 "yes, go ahead"', does: "answer whoever sent it" },
    { command: "make test 2>&1 | bellhop reply m7k2q9 -", does: "take the text from stdin" },
    {
      command: 'bellhop reply m7k2q9 "on it" --timeout 10m',
      does: "drop it if it still waits after ten minutes",
    },
  ],
  run: async (context, args) => {
    const id = messageIdFrom(args.words[0]);
    const waiting = await readWaiting(args);
    const saying = await readSaying(context, args, 1);
    const sent = await context.ask("reply", { ...saying, id });
    return finishSending(context, sent, saying, waiting);
  },
};
