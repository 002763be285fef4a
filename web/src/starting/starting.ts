/** What the daemon is asked for when an agent is started from the page. Pure. */
import type { BoardAgent } from "../../../src/wire/shapes/board.ts";
import type { Asked } from "../connection/requests.ts";

export const WHERE = ["pty", "tmux"] as const;
export type Where = (typeof WHERE)[number];

export interface Wish {
  readonly folder: string;
  /** The program and its arguments, as they are typed into a shell. */
  readonly command: string;
  readonly name: string;
  readonly prompt: string;
  readonly where: Where;
}

export const NO_WISH: Wish = { folder: "", command: "claude", name: "", prompt: "", where: "pty" };

/** A program starts, and its terminal opens, before the answer comes. */
const STARTED_WITHIN_MS = 60_000;

export type Part = "folder" | "command" | "prompt";

/** What it needs before it can be started. */
export function missingIn({ folder, command, prompt }: Wish): readonly Part[] {
  return [
    ...(folder.trim().startsWith("/") ? [] : (["folder"] as const)),
    ...(wordsOf(command) === undefined ? (["command"] as const) : []),
    ...(prompt.trim() === "" ? (["prompt"] as const) : []),
  ];
}

/** What the person has changed meanwhile is theirs; the rest is for the next one. */
export function afterStart(sent: Wish, now: Wish): Wish {
  return {
    ...now,
    name: now.name === sent.name ? "" : now.name,
    prompt: now.prompt === sent.prompt ? "" : now.prompt,
  };
}

export function startRequest({ folder, command, name, prompt, where }: Wish): Asked {
  return {
    method: "POST",
    path: "/sessions",
    body: {
      prompt,
      folder: folder.trim(),
      command: wordsOf(command) ?? [],
      ...(name.trim() === "" ? {} : { name: name.trim() }),
      where,
    },
    withinMs: STARTED_WITHIN_MS,
  };
}

const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gsu;
const PIECE = /\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gsu;

/** Words with quotes, as a shell reads them; no shell runs, so nothing else has a meaning. Undefined: a quote is open. */
export function wordsOf(command: string): readonly string[] | undefined {
  const words = command.match(WORD) ?? [];
  if (words.length === 0 || command.replaceAll(WORD, "").trim() !== "") return undefined;
  return words.map((word) =>
    word.replaceAll(PIECE, (_, escaped?: string, double?: string, single?: string) =>
      escaped !== undefined ? escaped : (double?.replaceAll(/\\(["\\$`])/gu, "$1") ?? single ?? ""),
    ),
  );
}

/** Where agents run or ran, the most used first. */
export function knownFolders(agents: readonly BoardAgent[]): readonly string[] {
  const uses = new Map<string, number>();
  for (const { sessions } of agents)
    for (const { folder } of sessions)
      if (folder !== undefined) uses.set(folder, (uses.get(folder) ?? 0) + 1);
  return [...uses]
    .toSorted((one, other) => other[1] - one[1] || one[0].localeCompare(other[0]))
    .map(([folder]) => folder);
}
