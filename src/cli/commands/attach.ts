import { attachTo } from "../attaching.ts";
import type { Command } from "../command.ts";

export const attach: Command = {
  name: "attach",
  summary: "sit at the terminal of an agent that Bellhop runs",
  usage: ["attach WHO [--watch] [--prefix KEY]"],
  options: {
    watch: { kind: "flag", summary: "only look: nothing that you type reaches the program" },
    prefix: {
      kind: "value",
      value: "KEY",
      summary: "the key before p passthrough, d detach, [ scrollback, ? help (C-\\)",
    },
  },
  words: { least: 1, most: 1 },
  examples: [
    { command: "bellhop attach coder", does: "see it work and write to it; C-\\ d leaves, C-\\ ? helps" },
    { command: "bellhop attach coder --watch", does: "look over its shoulder" },
    { command: "bellhop attach coder --prefix C-b", does: "another key than C-\\" },
  ],
  run: (context, args) => {
    const prefix = args.value("prefix");
    return attachTo(context, args.words[0] ?? "", {
      watch: args.flag("watch"),
      ...(prefix === undefined ? {} : { prefix }),
    });
  },
};
