import { EXIT } from "../../core/errors.ts";
import type { Command } from "../command.ts";

export const completions: Command = {
  name: "completions",
  summary: "completion for your shell",
  usage: ["completions bash|zsh|fish"],
  options: {},
  words: { least: 1, most: 1 },
  wordChoices: ["bash", "zsh", "fish"],
  examples: [
    { command: 'eval "$(bellhop completions bash)"', does: "in ~/.bashrc" },
    { command: 'eval "$(bellhop completions zsh)"', does: "in ~/.zshrc, after compinit" },
    { command: "bellhop completions fish | source", does: "in ~/.config/fish/config.fish" },
  ],
  run: async ({ out }, args) => {
    const { completionScript } = await import("../completion-scripts.ts");
    const { COMMANDS } = await import("../registry.ts");
    out.raw(completionScript(args.words[0] as "bash" | "zsh" | "fish", COMMANDS));
    return EXIT.ok;
  },
};
