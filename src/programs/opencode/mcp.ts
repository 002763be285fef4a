/** OpenCode's MCP servers, in its own settings: it reads several files, with comments, and merges them. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chosenFolder } from "../../hooks/hooked-program.ts";
import { jsonEntry, variables, words } from "../../hooks/mcp/json-entry.ts";
import type { McpProgram, McpSetting } from "../../hooks/mcp/registered-program.ts";
import { readSettings } from "../../hooks/settings-file.ts";

/** In the order in which OpenCode reads them: the last one wins. */
const FILES = ["config.json", "opencode.json", "opencode.jsonc"] as const;

const entry = jsonEntry({
  list: "mcp",
  dialect: "commented",
  write: ({ command, environment }) => ({
    type: "local",
    command: [...command],
    ...(Object.keys(environment).length > 0 ? { environment } : {}),
  }),
  read: ({ type, command, environment }) => {
    const given = words(command);
    if (type !== "local" || given === undefined) return undefined;
    return { command: given, environment: variables(environment) };
  },
});

export const opencodeMcp: McpProgram = {
  name: "opencode",
  title: "OpenCode",
  file: opencodeFile,
  isPresent: (setting) => existsSync(opencodeFolder(setting)),
  ...entry,
  uses: "OpenCode starts it when it is started anew.",
  asks: false,
};

function opencodeFolder(setting: McpSetting): string {
  const config = chosenFolder({ ...setting, programs: [] }, "XDG_CONFIG_HOME", ".config");
  return join(config, "opencode");
}

/** The file that holds our entry, else the one that the person has, else the usual one. */
function opencodeFile(setting: McpSetting): string {
  const files = FILES.map((name) => join(opencodeFolder(setting), name)).filter((path) => existsSync(path));
  return files.findLast(mayHoldOurs) ?? files.at(-1) ?? join(opencodeFolder(setting), "opencode.json");
}

/** A file that cannot be read may hold it: it is chosen, and then refused. */
function mayHoldOurs(path: string): boolean {
  try {
    return entry.find(readSettings(path) ?? "", path) !== "none";
  } catch {
    return true;
  }
}
