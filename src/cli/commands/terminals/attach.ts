import { attachTo } from "../../attaching.ts";
import type { Command } from "../../command.ts";

export const attach: Command = {
  name: "attach",
  summary: "open the terminal of an agent that Bellhop hosts",
  usage: ["attach WHO [--watch] [--prefix KEY]"],
  options: {
    watch: { kind: "flag", summary: "only watch: nothing that you type reaches the program" },
    prefix: {
      kind: "value",
      value: "KEY",
      summary: "the key that begins a command: p passthrough, d detach, [ scrollback, ? help (default: C-\\)",
    },
  },
  words: { least: 1, most: 1 },
  examples: [
    {
      command: "bellhop attach coder",
      does: "watch it work and write to it; C-\\ d leaves, C-\\ ? shows help",
    },
    { command: "bellhop attach coder --watch", does: "watch without typing" },
    { command: "bellhop attach coder --prefix C-b", does: "use C-b instead of C-\\" },
  ],
  run: (context, args) => {
    const may = args.flag("watch") ? "watch" : "type";
    return attachTo(context, args.words[0] ?? "", may, args.value("prefix"));
  },
};
