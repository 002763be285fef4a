import { pathToFileURL } from "node:url";
import { EXIT } from "../../../core/errors.ts";
import type { Command } from "../../command.ts";
import { printStatus } from "../../printing/daemon-status.ts";

export const up: Command = {
  name: "up",
  summary: "start the daemon (it also starts itself on first use)",
  usage: ["up [--foreground]"],
  options: { foreground: { kind: "flag", summary: "stay in the foreground until Ctrl+C" } },
  words: { least: 0, most: 0 },
  examples: [
    { command: "bellhop up", does: "returns when the daemon answers" },
    { command: "bellhop up --foreground", does: "for a service manager" },
  ],
  run: async (context, args) => {
    if (args.flag("foreground")) {
      // This very process becomes the daemon, so that whoever started it holds the right one.
      await import(pathToFileURL(context.daemonEntry).href);
      return Number(process.exitCode ?? EXIT.ok);
    }
    const status = await context.ask("status", {});
    if (context.out.json) context.out.value(status);
    else printStatus(context, status);
    return EXIT.ok;
  },
};
