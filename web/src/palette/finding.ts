/** What the palette finds. Pure. */
import type { BoardAgent } from "../../../src/wire/shapes/board.ts";
import { type ActionName, actionsFor } from "../acting/actions.ts";
import { GROUPINGS, type Grouping, rowsOf } from "../overview/rows.ts";
import { MAIN_PAGES, type PageName } from "../places/place.ts";
import { TEXT } from "../strings.ts";

export type Found =
  | { readonly kind: "agent"; readonly text: string; readonly hint: string; readonly name: string }
  | { readonly kind: "action"; readonly text: string; readonly name: string; readonly action: ActionName }
  | { readonly kind: "group"; readonly text: string; readonly grouping: Grouping }
  | { readonly kind: "page"; readonly text: string; readonly page: PageName }
  | { readonly kind: "keys" | "attention"; readonly text: string };

/** As many as are seen without scrolling. */
export const MOST_FOUND = 10;

const GENERAL: readonly Found[] = [
  { kind: "attention", text: TEXT.palette.attention },
  { kind: "page", text: TEXT.pages.start, page: "start" },
  ...MAIN_PAGES.map((page): Found => ({ kind: "page", text: TEXT.palette.page(TEXT.pages[page]), page })),
  ...GROUPINGS.map(
    (grouping): Found => ({
      kind: "group",
      text: TEXT.palette.group(TEXT.overview.groupings[grouping]),
      grouping,
    }),
  ),
  { kind: "keys", text: TEXT.palette.keys },
];

/** Every word must occur. An agent whose name begins with them comes first; actions only if they are asked for. */
export function found(typed: string, agents: readonly BoardAgent[]): readonly Found[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (words: string) => wanted.every((word) => words.includes(word));
  const general = GENERAL.filter(({ text }) => has(text.toLowerCase()));
  if (wanted.length === 0)
    return [...agents.slice(0, MOST_FOUND).map(goTo), ...general].slice(0, 2 * MOST_FOUND);
  const names = agents.filter((agent) => rowsOf(agent).some(({ words }) => has(words)));
  const isFirst = ({ name }: BoardAgent) => name.toLowerCase().startsWith(wanted[0] ?? "");
  const [first, rest] = [names.filter(isFirst), names.filter((agent) => !isFirst(agent))];
  const actions = actionsIn(agents, wanted, has);
  return [...[...first, ...rest].slice(0, MOST_FOUND).map(goTo), ...actions, ...general].slice(0, MOST_FOUND);
}

function goTo(agent: BoardAgent): Found {
  const [row] = rowsOf(agent);
  const hint = row === undefined ? "" : TEXT.states[row.state];
  return { kind: "agent", text: agent.name, hint, name: agent.name };
}

function actionsIn(
  agents: readonly BoardAgent[],
  wanted: readonly string[],
  has: (words: string) => boolean,
): readonly Found[] {
  const some: Found[] = [];
  for (const agent of agents) {
    const name = agent.name.toLowerCase();
    // Most agents are not meant: their actions are not even listed.
    if (!wanted.some((word) => name.includes(word) || isVerb(word))) continue;
    for (const { name: action } of actionsFor(agent, agent.sessions[0])) {
      const text = TEXT.palette.act(TEXT.actions.names[action], agent.name);
      if (has(text.toLowerCase())) some.push({ kind: "action", text, name: agent.name, action });
      if (some.length >= MOST_FOUND) return some;
    }
  }
  return some;
}

const VERBS = Object.values<string>(TEXT.actions.names).map((name) => name.toLowerCase());
const isVerb = (word: string) => VERBS.some((verb) => verb.includes(word));
