/** How a program lists the MCP servers that it starts. Each folder of `programs/` provides its own. */
import { basename } from "node:path";
import type { HookSetting } from "../hooked-program.ts";

export type McpSetting = Omit<HookSetting, "programs">;

/** The command of a server, and the variables that its entry sets. */
export interface McpServer {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** `unknown`: an entry of our name that starts no command, or has a form that we do not read. */
export type FoundServer = McpServer | "none" | "unknown";

export interface McpProgram {
  readonly name: string;
  readonly title: string;
  /** Its own file, in which the entry is, or would be. */
  file(setting: McpSetting): string;
  isPresent(setting: McpSetting): boolean;
  /** These three throw if they cannot read the text. A missing file is an empty text. */
  find(text: string, path: string): FoundServer;
  add(text: string, path: string, server: McpServer): string;
  /** The inverse: everything else keeps its bytes. */
  remove(text: string, path: string): string;
  /** Runs while nobody else writes the file, if the program has a lock for it. */
  locked?(path: string, write: () => void, now: () => number): void;
  /** When it starts to use a new server, as a sentence. */
  readonly uses: string;
  /** Whether it asks its person before each call, as it comes. */
  readonly asks: boolean;
}

/** The name of our entry. */
export const SERVER_NAME = "bellhop";

export function ourServer({ bellhopHome, userHome }: McpSetting): McpServer {
  const isUsual = bellhopHome === usualHome(userHome);
  // Not every program passes its environment on.
  return {
    command: ["bellhop", "mcp"],
    environment: isUsual ? {} : { BELLHOP_HOME: bellhopHome },
  };
}

export type Belonging = "absent" | "ours" | "another-home" | "foreign";

/** Whose entry it is: ours runs `bellhop mcp`, by whatever path, for this home. */
export function belonging(found: FoundServer, { bellhopHome, userHome }: McpSetting): Belonging {
  if (found === "none") return "absent";
  if (found === "unknown") return "foreign";
  const [program = "", ...args] = found.command;
  if (basename(program) !== "bellhop" || args.join(" ") !== "mcp") return "foreign";
  return (found.environment.BELLHOP_HOME ?? usualHome(userHome)) === bellhopHome ? "ours" : "another-home";
}

function usualHome(userHome: string): string {
  return `${userHome.replace(/\/+$/, "")}/.bellhop`;
}
