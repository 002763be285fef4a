import { EXIT } from "../../../core/errors.ts";
import { VERSION } from "../../../wire/version.ts";
import type { Command } from "../../command.ts";

export const version: Command = {
  name: "version",
  summary: "print the version",
  usage: ["version"],
  options: {},
  words: { least: 0, most: 0 },
  examples: [{ command: "bellhop version", does: "the version of this command" }],
  run: async ({ out }) => {
    if (out.json) out.value({ version: VERSION });
    else out.line(VERSION);
    return EXIT.ok;
  },
};
