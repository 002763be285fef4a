/** Codex's MCP servers: tables in config.toml. Pure but for the file's place; all other lines keep their bytes. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { newlineOf, withBlock, withoutBlock } from "../../hooks/appended-block.ts";
import { chosenFolder } from "../../hooks/hooked-program.ts";
import { invalidSettings } from "../../hooks/json-text.ts";
import {
  type FoundServer,
  type McpProgram,
  type McpServer,
  type McpSetting,
  SERVER_NAME,
} from "../../hooks/mcp/registered-program.ts";
import { type TomlLine, tomlKey, tomlLines } from "./hooks/toml-lines.ts";

const TABLE = "mcp_servers";

export const codexMcp: McpProgram = {
  name: "codex",
  title: "Codex",
  file: (setting) => join(codexFolder(setting), "config.toml"),
  isPresent: (setting) => existsSync(codexFolder(setting)),
  find: foundIn,
  add: (config, path, server) => {
    foundIn(config, path);
    return withBlock(config, tableOf(server, newlineOf(config)));
  },
  remove: withoutServer,
  uses: "Codex starts it in new conversations: after /new, or in a new window.",
  asks: true,
};

function codexFolder(setting: McpSetting): string {
  return chosenFolder({ ...setting, programs: [] }, "CODEX_HOME", ".codex");
}

function tableOf({ command: [command = "", ...args], environment }: McpServer, newline: string): string {
  const variables = Object.entries(environment).map(([name, value]) => `${name} = ${quoted(value)}`);
  const lines = [
    `[${TABLE}.${SERVER_NAME}]`,
    `command = ${quoted(command)}`,
    `args = [${args.map(quoted).join(", ")}]`,
    ...(variables.length > 0 ? [`env = { ${variables.join(", ")} }`] : []),
  ];
  return lines.map((line) => line + newline).join("");
}

/** A JSON string is a basic string of TOML. */
const quoted = (text: string) => JSON.stringify(text);

/** The tables of our server, its own and those below it, as ranges of lines. */
interface Found {
  readonly lines: readonly TomlLine[];
  readonly isOurs: readonly boolean[];
}

function foundIn(config: string, path: string): FoundServer {
  const { lines, isOurs } = serverLines(config, path);
  const text = lines.filter((_, at) => isOurs[at] && lines[at]?.kind !== "header").map((line) => line.text);
  if (!isOurs.includes(true)) return "none";
  const command = stringIn(text.join(""), "command");
  const args = stringsIn(text.join(""), "args");
  if (command === undefined || args === undefined) return "unknown";
  const home = stringIn(text.join(""), "BELLHOP_HOME");
  return { command: [command, ...args], environment: home === undefined ? {} : { BELLHOP_HOME: home } };
}

function withoutServer(config: string, path: string): string {
  const { lines, isOurs } = serverLines(config, path);
  const first = isOurs.indexOf(true);
  if (first === -1) return config;
  const next = isOurs.indexOf(false, first);
  const end = next === -1 ? lines.length : next;
  // Blank lines and comments at the end belong to what follows.
  let behindFrom = end;
  while (behindFrom > first && /^(?:#.*)?$/.test(lines[behindFrom - 1]?.text.trim() ?? "x")) behindFrom -= 1;
  const textOf = (from: number, to?: number) =>
    lines
      .slice(from, to)
      .map(({ text }) => text)
      .join("");
  const left = withoutBlock(textOf(0, first), textOf(behindFrom));
  // Tables of one server may be apart.
  return withoutServer(left, path);
}

/** Throws if the servers are written in a form that cannot be changed line by line. */
function serverLines(config: string, path: string): Found {
  const lines = tomlLines(config);
  if (tomlLines(`${config}\n[end]`).at(-1)?.kind !== "header")
    throw invalidSettings(path, "a list or string in it is not closed");
  let table: readonly string[] = [];
  const isOurs = lines.map((line, at) => {
    const key = tomlKey(line);
    if (line.kind === "header") {
      table = key ?? ["unknown"];
      if (/^\s*\[\[/.test(line.text) && table[0] === TABLE) throw inTheWay(path, at);
    } else if (key !== undefined) {
      const [servers, name] = [...table, ...key];
      const isInline = table.length === 0 || (table.length === 1 && name === SERVER_NAME);
      if (servers === TABLE && isInline) throw inTheWay(path, at);
    }
    return table[0] === TABLE && table[1] === SERVER_NAME;
  });
  return { lines, isOurs };
}

function inTheWay(path: string, at: number) {
  return invalidSettings(
    path,
    `"${TABLE}" is written in a form that Bellhop leaves alone, line ${at + 1}; write [${TABLE}.NAME] tables instead`,
  );
}

function stringIn(text: string, name: string): string | undefined {
  const found = new RegExp(String.raw`(?:^|[\n{,])\s*"?${name}"?\s*=\s*("(?:[^"\\\n]|\\.)*"|'[^'\n]*')`).exec(
    text,
  );
  return found?.[1] === undefined ? undefined : plain(found[1]);
}

/** A missing list is an empty one. */
function stringsIn(text: string, name: string): readonly string[] | undefined {
  const list = new RegExp(String.raw`(?:^|\n)\s*${name}\s*=\s*\[([^\]]*)\]`).exec(text)?.[1];
  if (list === undefined) return new RegExp(String.raw`(?:^|\n)\s*${name}\s*=`).test(text) ? undefined : [];
  return [...list.matchAll(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g)].flatMap(([each]) => plain(each) ?? []);
}

function plain(text: string): string | undefined {
  if (text.startsWith("'")) return text.slice(1, -1);
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}
