/** One agent in one line; on a phone in two. */

import { LinkToAgent } from "../places/link-to-agent.tsx";
import { TEXT } from "../strings.ts";
import { now } from "../ui/clock.ts";
import { rowCursor } from "../ui/cursor.ts";
import { Shape } from "../ui/shape.tsx";
import { sinceInWords } from "../ui/since.ts";
import { type AgentRow, ownHeadline, reasonOf, shortFolder } from "./rows.ts";
import { grouping } from "./shown.ts";

export function AgentLine({ row }: { readonly row: AgentRow }) {
  const { agent, session, state } = row;
  const since = session?.since ?? agent.turns[0]?.startedAt;
  const { folder, branch } = session ?? {};
  return (
    <LinkToAgent name={agent.name} class={`line ${state}`} cursor={rowCursor(row.key)}>
      <span class="state">
        <Shape of={state} />
        <span>{TEXT.states[state]}</span>
      </span>
      <span class="name">
        {agent.name}
        {agent.paused && <span class="chip">{TEXT.paused}</span>}
      </span>
      <span class="headline">{headlineOf(row)}</span>
      <Waits row={row} />
      <span class="place">
        {folder !== undefined && grouping.value !== "folder" && <span>{shortFolder(folder)}</span>}
        {branch !== undefined && <span class="branch">{branch}</span>}
      </span>
      <span class="since">{since === undefined ? "" : sinceInWords(since, now.value)}</span>
    </LinkToAgent>
  );
}

/** What it asks, if it asks; what its turn does, if it runs without a terminal. */
function headlineOf({ agent, session, state }: AgentRow): string {
  if (state === "blocked" && session?.asks !== undefined) return session.asks.text;
  if (state === "turn") return agent.turns[0]?.doing ?? session?.headline ?? "";
  return session === undefined ? "" : ownHeadline(agent.name, session);
}

function Waits({ row: { agent, session } }: { readonly row: AgentRow }) {
  const { queued, hold } = session ?? agent;
  if (queued === 0) return <span class="waits" />;
  return (
    <span class="waits" title={hold?.release ?? ""}>
      {TEXT.waits(queued)}
      {hold !== undefined && <span class="why">: {reasonOf(hold, agent)}</span>}
    </span>
  );
}
