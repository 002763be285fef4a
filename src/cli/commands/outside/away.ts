import { AWAY_MODES } from "../../../core/desk/presence.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { ShownPresence } from "../../../wire/shapes/outside.ts";

import { type Command, usage } from "../../command.ts";

export const away: Command = {
  name: "away",
  summary: "say whether you are away: then your agents reach you on your phone",
  usage: ["away [on|off|auto|status]"],
  words: { least: 0, most: 1 },
  examples: [
    { command: "bellhop away on", does: "you are told outside what needs you, until you say otherwise" },
    {
      command: "bellhop away auto",
      does: "Bellhop finds out by itself: no key for two minutes, nobody there, locked",
    },
    { command: "bellhop away", does: "whether you count as away now, and why" },
  ],
  run: async ({ ask, out }, args) => {
    const [word = "status"] = args.words;
    const mode = AWAY_MODES.find((one) => one === word);
    if (mode === undefined && word !== "status")
      throw usage(`"${sanitiseLine(word, 40)}" is none of on, off, auto, status.`, "Choose one of them.");
    const shown = await ask("away", mode === undefined ? {} : { mode });
    out.result(shown, () => {
      out.line(stanceOf(shown));
      if (shown.channels.length > 0)
        out.line(`You are told on ${shown.channels.map((one) => sanitiseLine(one)).join(", ")}.`);
      else
        out.line(
          "Nothing reaches you outside: connect a bridge (bellhop bridge add telegram), or see bellhop bridge status.",
        );
    });
  },
};

function stanceOf({ mode, is, why }: ShownPresence): string {
  const stance =
    is === "away" ? "You are away" : is === "present" ? "You are there" : "Whether you are away is not known";
  return `${stance}: ${why}${mode === "auto" ? "" : ` (bellhop away ${mode})`}.`;
}
