import type { Command } from "../../command.ts";
import { OFFERS, type Offer } from "../../completion/offers.ts";

const words: Command = {
  name: "words",
  summary: "print what the completion scripts offer at Tab; never starts the daemon",
  usage: [`completions words ${OFFERS.join("|")}`],
  words: { least: 1, most: 1 },
  wordChoices: OFFERS,
  examples: [
    { command: "bellhop completions words agent", does: "agent names, each with its program, one per line" },
  ],
  run: async (context, args) => {
    const { offerWords } = await import("../../completion/offering.ts");
    return offerWords(context, args.words[0] as Offer);
  },
};

/** For all commands, including itself. */
export const completionsOf = (commands: () => readonly Command[]): Command => ({
  name: "completions",
  summary: "print a script that completes commands, options, agent names and ids in your shell",
  usage: ["completions bash|zsh|fish"],
  words: { least: 1, most: 1 },
  wordChoices: ["bash", "zsh", "fish"],
  examples: [
    { command: 'eval "$(bellhop completions bash)"', does: "in ~/.bashrc" },
    { command: 'eval "$(bellhop completions zsh)"', does: "in ~/.zshrc, after compinit" },
    { command: "bellhop completions fish | source", does: "in ~/.config/fish/config.fish" },
  ],
  subcommands: [words],
  run: async ({ out }, args) => {
    const { completionScript } = await import("../../completion/scripts.ts");
    out.raw(completionScript(args.words[0] as "bash" | "zsh" | "fish", commands()));
  },
});
