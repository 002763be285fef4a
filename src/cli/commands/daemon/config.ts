import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { Config } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { requireOwner } from "../../local/owner-only.ts";
import { printTable } from "../../printing/table.ts";

export const config: Command = {
  name: "config",
  summary: "show the settings in force and where each comes from",
  usage: ["config [--path]"],
  options: { path: { kind: "flag", summary: "print only the path of the config file" } },
  examples: [
    { command: "bellhop config", does: "show the settings; also checks the file" },
    { command: '$EDITOR "$(bellhop config --path)"', does: "edit the file" },
  ],
  run: async (context, args) => {
    await requireOwner(context);
    const { home, out } = context;
    const path = home().config;
    if (args.flag("path")) {
      out.result({ path }, path);
      return;
    }
    const { loadConfig } = await import("../../../config/config.ts");
    const loaded = loadConfig(path);
    const rows = rowsOf(loaded);
    out.result({ path, exists: existsSync(path), settings: rows }, () => {
      printTable(out, rows, {
        SETTING: ({ key }) => key,
        VALUE: ({ value }) => (typeof value === "string" ? value : JSON.stringify(value)),
        FROM: ({ origin }) => origin,
      });
    });
  },
};

function rowsOf({ shown, origins, path }: Config) {
  return Object.entries(shown).map(([key, value]) => {
    const origin = origins[key];
    return {
      key,
      value,
      origin:
        origin === undefined || origin.kind === "default" ? "default" : `${basename(path)}:${origin.line}`,
    };
  });
}
