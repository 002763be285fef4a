import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { Config } from "../../../config/config.ts";
import { EXIT } from "../../../core/errors.ts";
import type { Command } from "../../command.ts";
import { requireOwner } from "../../local/owner-only.ts";
import { printTable } from "../../printing/table.ts";

export const config: Command = {
  name: "config",
  summary: "show the settings in force and where each comes from",
  usage: ["config [--path]"],
  options: { path: { kind: "flag", summary: "print only the path of the config file" } },
  words: { least: 0, most: 0 },
  examples: [
    { command: "bellhop config", does: "show the settings; also checks the file" },
    { command: '$EDITOR "$(bellhop config --path)"', does: "edit the file" },
  ],
  run: async (context, args) => {
    await requireOwner(context);
    const { home, out } = context;
    const path = home().config;
    if (args.flag("path")) {
      if (out.json) out.value({ path });
      else out.line(path);
      return EXIT.ok;
    }
    const { loadConfig } = await import("../../../config/config.ts");
    const loaded = loadConfig(path);
    const rows = rowsOf(loaded);
    if (out.json) {
      out.value({ path, exists: existsSync(path), settings: rows, warnings: loaded.warnings });
      return EXIT.ok;
    }
    printTable<Row>(
      out,
      [
        { title: "SETTING", cell: ({ key }) => key },
        { title: "VALUE", cell: ({ value }) => (typeof value === "string" ? value : JSON.stringify(value)) },
        { title: "FROM", cell: ({ origin }) => origin },
      ],
      rows,
    );
    for (const warning of loaded.warnings) out.line(out.paint("yellow", `! ${warning}`));
    return EXIT.ok;
  },
};

interface Row {
  readonly key: string;
  readonly value: unknown;
  readonly origin: string;
}

function rowsOf({ shown, origins, path }: Config): readonly Row[] {
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
