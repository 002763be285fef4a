/** An MCP server as a member of an object in a JSON file: `{ "mcpServers": { "bellhop": { … } } }`. Pure. */
import type { Json } from "../../core/message.ts";
import {
  addMember,
  addOnlyMember,
  type JsonDialect,
  type JsonObject,
  jsonOf,
  memberOf,
  ofKind,
  removeMember,
  rootOf,
} from "../json-text.ts";
import { jsonIn } from "../settings-file.ts";
import { type FoundServer, type McpProgram, type McpServer, SERVER_NAME } from "./registered-program.ts";

export interface EntryShape {
  /** The member of the file that lists the servers. */
  readonly list: string;
  readonly dialect: JsonDialect;
  write(server: McpServer): Json;
  /** Undefined for an entry that starts no command. */
  read(entry: { readonly [key: string]: Json }): McpServer | undefined;
}

export function jsonEntry(shape: EntryShape): Pick<McpProgram, "find" | "add" | "remove"> {
  return {
    find: (text, path) => foundIn(jsonIn(text), path, shape),
    add: (given, path, server) => {
      const text = jsonIn(given);
      const { root, servers } = listIn(text, path, shape);
      const entry = shape.write(server);
      if (servers === undefined) return addMember(text, root, shape.list, { [SERVER_NAME]: entry });
      return isBare(text, servers)
        ? addOnlyMember(text, servers, SERVER_NAME, entry)
        : addMember(text, servers, SERVER_NAME, entry);
    },
    remove: (given, path) => {
      const text = jsonIn(given);
      const { root, servers } = listIn(text, path, shape);
      if (servers === undefined || memberOf(servers, SERVER_NAME) === undefined) return text;
      const taken = bared(removeMember(text, servers, SERVER_NAME), path, shape);
      const left = listIn(taken, path, shape).servers;
      // Then `addOnlyMember` has put it into an empty list. A comment of the person's keeps the list too.
      const wasThere = text.startsWith(`{"${SERVER_NAME}"`, servers.start);
      const isOver = !wasThere && left !== undefined && isBare(taken, left);
      return isOver ? removeMember(text, root, shape.list) : taken;
    },
  };
}

/** `{ }` becomes `{}`. */
function bared(text: string, path: string, shape: EntryShape): string {
  const { servers } = listIn(text, path, shape);
  if (servers === undefined || text.slice(servers.start + 1, servers.end - 1).trim() !== "") return text;
  return `${text.slice(0, servers.start)}{}${text.slice(servers.end)}`;
}

function isBare(text: string, object: JsonObject): boolean {
  return text.slice(object.start, object.end) === "{}";
}

function foundIn(text: string, path: string, shape: EntryShape): FoundServer {
  const member = memberOf(listIn(text, path, shape).servers, SERVER_NAME);
  if (member === undefined) return "none";
  if (member.value.kind !== "object") return "unknown";
  return shape.read(jsonOf(member.value) as { readonly [key: string]: Json }) ?? "unknown";
}

function listIn(text: string, path: string, { list, dialect }: EntryShape) {
  const root = rootOf(text, path, dialect);
  return { root, servers: ofKind("object", memberOf(root, list)?.value, list, { text, path }) };
}

/** Undefined unless it is a list of strings. */
export function words(value: Json | undefined): readonly string[] | undefined {
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string")) return undefined;
  return value as readonly string[];
}

/** Strings by name; whatever else is there is no setting of ours. */
export function variables(value: Json | undefined): Readonly<Record<string, string>> {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((each): each is [string, string] => typeof each[1] === "string"),
  );
}

/** The form that most programs share: a command, its arguments, its variables. */
export const COMMAND_AND_ARGS: Pick<EntryShape, "read" | "write"> = {
  write: ({ command: [command = "", ...args], environment }) => ({
    command,
    args,
    ...(Object.keys(environment).length > 0 ? { env: environment } : {}),
  }),
  read: ({ command, args, env }) => {
    const given = args === undefined ? [] : words(args);
    if (typeof command !== "string" || given === undefined) return undefined;
    return { command: [command, ...given], environment: variables(env) };
  },
};
